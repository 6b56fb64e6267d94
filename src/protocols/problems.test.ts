import { expect, test } from "bun:test";
import { Problems } from "./problems.ts";

test("of all that is wrong, the first thing found is told, with the name of its field", () => {
  const problems = new Problems();
  expect(problems.first).toBeNull();
  problems.add({ at: "messages[1].role", clause: "is missing" });
  problems.add({ at: "model", clause: "is missing" });
  expect(problems.first).toEqual({ param: "messages[1].role", problem: "“messages[1].role” is missing" });
});
