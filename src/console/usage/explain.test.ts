import { expect, test } from "bun:test";
import { catalogue, fill, reasons } from "../../domain/errors.ts";
import { explain } from "./explain.ts";

const WHERE = { key: "laptop", group: "main", model: "m", particulars: null };

test.each(reasons)("%s is explained without its particulars, with no place left open", reason => {
  const told = explain({ ...WHERE, reason });
  expect(told).toMatchObject({ reason, cause: catalogue[reason].cause });
  expect(`${told?.message}${told?.remedy}`).not.toMatch(/[{}]|undefined/);
  expect(told?.message).toEndWith(".");
});

test("particulars fill the sentence that the client was given", () => {
  const particulars = { whose: "The key “laptop”", limit: 5, what: "requests", seconds: 12 };
  const told = explain({ ...WHERE, reason: "rate_limited", particulars });
  expect(told?.message).toBe(fill(catalogue.rate_limited.message, particulars));
  expect(told?.remedy).toBe(fill(catalogue.rate_limited.remedy, particulars));
});

test("a client that left and a gateway that ended are explained, an unknown word is not", () => {
  expect(explain({ ...WHERE, reason: "client_left" })?.cause).toBe("client");
  expect(explain({ ...WHERE, reason: "interrupted" })?.cause).toBe("gateway");
  expect(explain({ ...WHERE, reason: "toString" })).toBeNull();
  expect(explain({ ...WHERE, reason: null })).toBeNull();
});
