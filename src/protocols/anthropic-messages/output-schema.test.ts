import { describe, expect, test } from "bun:test";
import { outputSchema } from "./output-schema.ts";

describe("a schema for answers", () => {
  test("keeps what is taken, and closes its objects", () => {
    const schema = {
      $defs: { leaf: { type: "object", properties: { n: { type: ["integer", "null"] } } } },
      type: "object",
      title: "Tree",
      properties: {
        description: { type: "string", enum: ["a", "b"] },
        leaves: { type: "array", items: { $ref: "#/$defs/leaf" }, minItems: 1 },
        either: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
      },
      required: ["leaves"],
    };
    expect(outputSchema(schema)).toEqual({
      ...schema,
      $defs: { leaf: { ...schema.$defs.leaf, additionalProperties: false } },
      additionalProperties: false,
    });
  });

  test("tells what is not taken in words", () => {
    const schema = {
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, maximum: 150, description: "In years." },
        code: { type: "string", pattern: "^a", format: "odd" },
        list: { type: "array", minItems: 3, items: { oneOf: [{ type: "string" }] } },
      },
      additionalProperties: { type: "string" },
    };
    expect(outputSchema(schema)).toEqual({
      type: "object",
      properties: {
        age: { type: "integer", description: "In years. (minimum: 0, maximum: 150)" },
        code: { type: "string", description: '(pattern: "^a", format: "odd")' },
        list: { type: "array", items: { anyOf: [{ type: "string" }] }, description: "(minItems: 3)" },
      },
      additionalProperties: false,
    });
  });

  test("that is none is an empty one", () => {
    for (const schema of [null, "x", [], 1]) expect(outputSchema(schema)).toEqual({});
  });
});
