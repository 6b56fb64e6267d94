import { expect, test } from "bun:test";
import { openApiDocument } from "../../../src/console/api/openapi.ts";
import { endpoints } from "../../../src/console/contract/contract.ts";
import { type Document, linesOf, matching, readDocument } from "./document.ts";
import { inChinese } from "./in-chinese.ts";

const visit = { desk: { version: "1" }, root: "http://127.0.0.1" } as Parameters<typeof openApiDocument>[0];
const document = (await (await openApiDocument(visit)).json()) as Document;
const shown = readDocument(document);
const of = (name: string) => {
  const found = shown.find(one => one.name === name);
  if (found === undefined) throw new Error(`${name} is not shown`);
  return found;
};

test("every endpoint of the contract is shown, with who may call it", () => {
  expect(shown.map(({ name }) => name).sort()).toEqual(Object.keys(endpoints).sort());
  expect(shown.filter(({ summary, who }) => summary === "" || who === "")).toEqual([]);
  expect(of("GET /house")).toMatchObject({ isOpen: true, takesToken: false });
  expect(of("GET /operator/audit")).toMatchObject({ takesToken: true, noun: "operator/audit" });
  expect(of("POST /operator/tokens").takesToken).toBe(false);
});

test("a form is told field by field, with its bounds and choices", () => {
  const body = of("POST /operator/tokens").body;
  const lines = linesOf(body ?? {});
  expect(lines.map(({ name, type, isRequired, rule }) => ({ name, type, isRequired, rule }))).toEqual([
    { name: "name", type: "string", isRequired: true, rule: "1 ≤ length ≤ 100" },
    { name: "scope", type: '"read" | "write" | "write-all"', isRequired: true, rule: "" },
    { name: "days", type: "integer", isRequired: true, rule: "1 ≤ n ≤ 366" },
  ]);
});

test("what stands within lists and alternatives is told too, each line under a name of its own", () => {
  for (const { answer, body } of shown) {
    for (const schema of [answer, body]) {
      const ids = linesOf(schema ?? {}).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  }
  const lines = linesOf(of("POST /operator/accounts/many").body ?? {});
  expect(lines.some(({ name, depth }) => name === "amount_usd" && depth === 2)).toBe(true);
  expect(linesOf(of("GET /operator/audit").answer ?? {}).some(({ name }) => name === "before")).toBe(true);
});

test("a search takes words of the path and of the summary together", () => {
  expect(matching(shown, "operator AUDIT file").map(({ name }) => name)).toEqual([
    "GET /operator/audit/export",
  ]);
  expect(matching(shown, "nothing of the kind")).toEqual([]);
});

test("all of it is said in Chinese too, and found by either", () => {
  const chinese = shown.map(inChinese);
  const isChinese = (text: string) => /[\u4e00-\u9fff]/.test(text);
  expect(chinese.filter(({ summary, who }) => !isChinese(summary) || !isChinese(who))).toEqual([]);
  expect(matching(chinese, "审计 导出").map(({ name }) => name)).toEqual([]);
  expect(matching(chinese, "audit 导出").map(({ name }) => name)).toEqual(["GET /operator/audit/export"]);
  expect(matching(chinese, "audit file").map(({ name }) => name)).toEqual(["GET /operator/audit/export"]);
});
