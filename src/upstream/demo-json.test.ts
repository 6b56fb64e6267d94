import { expect, test } from "bun:test";
import { minimalObject } from "./demo-json.ts";

const only = (schema: unknown) =>
  minimalObject({ type: "object", properties: { it: schema }, required: ["it"] })["it"];

test.each([
  [{ type: "string" }, "demo"],
  [{ type: "string", minLength: 6 }, "demo d"],
  [{ type: "string", maxLength: 2 }, "de"],
  [{ type: "string", format: "date" }, "2025-01-01"],
  [{ type: "integer" }, 1],
  [{ type: "integer", minimum: 5 }, 5],
  [{ type: "integer", exclusiveMinimum: 5 }, 6],
  [{ type: "integer", maximum: -3 }, -3],
  [{ type: "number", multipleOf: 4, minimum: 5 }, 8],
  [{ type: "number", minimum: 0.25, maximum: 0.75 }, 0.5],
  [{ type: "number", minimum: 0, maximum: 0.5 }, 0],
  [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  [{ type: "boolean" }, true],
  [{ type: "null" }, null],
  [{ type: ["null", "integer"] }, 1],
  [{ enum: ["b", "a"] }, "b"],
  [{ const: 7 }, 7],
  [{ type: "array", items: { type: "integer" } }, []],
  [{ type: "array", items: { type: "integer" }, minItems: 2 }, [1, 1]],
  [{ type: "array", prefixItems: [{ const: "x" }], items: { const: "y" }, minItems: 2 }, ["x", "y"]],
  [{ anyOf: [{ type: "null" }, { type: "boolean" }] }, true],
  [
    {
      allOf: [
        { properties: { a: {} }, required: ["a"] },
        { properties: { b: {} }, required: ["b"] },
      ],
    },
    { a: "demo", b: "demo" },
  ],
  [
    {
      type: "object",
      properties: { deep: { type: "object", properties: {}, required: ["x"] } },
      required: ["deep"],
    },
    { deep: { x: "demo" } },
  ],
  [{ type: "object", properties: { optional: { type: "string" } } }, {}],
])("%j", (schema, value) => {
  expect(only(schema)).toEqual(value);
});

test("a reference is followed", () => {
  const schema = {
    type: "object",
    properties: { pet: { $ref: "#/$defs/pet" } },
    required: ["pet"],
    $defs: { pet: { enum: ["cat"] } },
  };
  expect(minimalObject(schema)).toEqual({ pet: "cat" });
});

test("a schema that contains itself many times over stays small", () => {
  const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
  const properties = Object.fromEntries(names.map(name => [name, { $ref: "#" }]));
  const text = JSON.stringify(minimalObject({ type: "object", properties, required: names }));
  expect(text.length).toBeLessThan(10_000);
});

test("anything still gives an object", () => {
  const proto = { type: "object", required: ["__proto__"] };
  for (const schema of [undefined, null, 5, "x", [], { type: "string" }, { required: 5 }, proto]) {
    expect(JSON.stringify(minimalObject(schema))).toMatch(/^\{.*\}$/);
  }
});
