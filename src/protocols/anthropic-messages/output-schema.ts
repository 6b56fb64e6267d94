import { isObject, objectOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/** What Anthropic's own answers may be held to. Other rules of a schema are refused, so the model is told them instead. */
const KEPT = ["title", "enum", "const", "default", "required", "$ref", "$schema", "$id", "type", "items"];
const NAMED = ["properties", "$defs", "definitions"];
const LISTED = ["anyOf", "allOf", "oneOf"];
const TEXT_FORMATS = [
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
];

/** A schema of an OpenAI-style client as this dialect takes it. */
export function outputSchema(schema: unknown): Json {
  const given = objectOf(schema);
  const written: Record<string, unknown> = {};
  const told: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (name === "description" || name === "additionalProperties") continue;
    if (NAMED.includes(name)) written[name] = eachNamed(value);
    else if (LISTED.includes(name)) written[name === "oneOf" ? "anyOf" : name] = eachListed(value);
    else if (name === "items") written[name] = inner(value);
    else if (KEPT.includes(name) || isKept(name, value)) written[name] = value;
    else told.push(`${name}: ${JSON.stringify(value)}`);
  }
  if (isObjectSchema(given)) written["additionalProperties"] = false;
  const description = [given["description"], told.length === 0 ? "" : `(${told.join(", ")})`];
  const text = description.filter(line => typeof line === "string" && line !== "").join(" ");
  return text === "" ? written : { ...written, description: text };
}

function isKept(name: string, value: unknown): boolean {
  if (name === "format") return typeof value === "string" && TEXT_FORMATS.includes(value);
  return name === "minItems" && (value === 0 || value === 1);
}

function isObjectSchema(given: Json): boolean {
  const { type } = given;
  return type === "object" || (Array.isArray(type) && type.includes("object")) || "properties" in given;
}

function inner(value: unknown): unknown {
  return isObject(value) ? outputSchema(value) : value;
}

function eachNamed(value: unknown): Json {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, schema]) => [name, inner(schema)]));
}

function eachListed(value: unknown): unknown {
  return Array.isArray(value) ? value.map(inner) : value;
}
