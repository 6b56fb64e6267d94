export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const WRITTEN_DEPTH_MAX = 256;

/** Null where it is nested so deeply that writing it would take seconds, or overflow the stack. */
export function jsonText(value: unknown): string | null {
  return isDeeper(value, WRITTEN_DEPTH_MAX) ? null : (JSON.stringify(value) ?? "null");
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some(one => isDeeper(one, depth - 1));
}

const DEPTH_MAX = 12;
const VALUES_MAX = 500;
const ITEMS_MAX = 32;
const CHARS_MAX = 256;

/** `valuesLeft` bounds the whole, since a schema may refer to itself in every one of its properties. */
type Walk = { root: JsonObject; valuesLeft: number };

/** A small object with the properties the schema requires; an empty one when the schema wants something else. */
export function minimalObject(schema: unknown): JsonObject {
  if (!isObject(schema)) return {};
  const value = minimal({ root: schema, valuesLeft: VALUES_MAX }, { schema, depth: 0 });
  return isObject(value) ? value : {};
}

function minimal(walk: Walk, at: { schema: unknown; depth: number }): unknown {
  const { schema, depth } = at;
  if (walk.valuesLeft-- <= 0 || depth > DEPTH_MAX || !isObject(schema)) return null;
  if (Object.hasOwn(schema, "const")) return bounded(schema["const"], depth);
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return bounded(schema["enum"][0], depth);
  if (typeof schema["$ref"] === "string") {
    return minimal(walk, { schema: referred(walk.root, schema["$ref"]), depth: depth + 1 });
  }
  const choice = firstUsable(schema["anyOf"]) ?? firstUsable(schema["oneOf"]);
  if (choice !== undefined) return minimal(walk, { schema: choice, depth: depth + 1 });
  if (Array.isArray(schema["allOf"])) return minimalOfAll(walk, { parts: schema["allOf"], schema, depth });
  switch (typeOf(schema)) {
    case "object":
      return minimalProperties(walk, { schema, depth });
    case "array":
      return minimalItems(walk, { schema, depth });
    case "integer":
    case "number":
      return minimalNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return minimalString(schema);
  }
}

/** Given values are copied as they are, but not so deep that writing them overflows the stack. */
function bounded(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEPTH_MAX) return null;
  if (Array.isArray(value)) return value.map(one => bounded(one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one, depth + 1)]));
}

function typeOf(schema: JsonObject): unknown {
  const type = schema["type"];
  if (Array.isArray(type)) return type.find(one => one !== "null") ?? "null";
  if (type !== undefined) return type;
  if (isObject(schema["properties"])) return "object";
  return schema["items"] === undefined ? "string" : "array";
}

function firstUsable(choices: unknown): unknown {
  if (!Array.isArray(choices)) return undefined;
  return choices.find(choice => isObject(choice) && choice["type"] !== "null") ?? choices[0];
}

function minimalOfAll(walk: Walk, at: { parts: unknown[]; schema: JsonObject; depth: number }): unknown {
  const { allOf: _, ...own } = at.schema;
  const hasOwnShape = own["type"] !== undefined || own["properties"] !== undefined;
  const schemas = hasOwnShape ? [...at.parts, own] : at.parts;
  const values = schemas.slice(0, ITEMS_MAX).map(schema => minimal(walk, { schema, depth: at.depth + 1 }));
  return values.every(isObject) ? Object.fromEntries(values.flatMap(Object.entries)) : values[0];
}

function referred(root: JsonObject, pointer: string): unknown {
  if (!pointer.startsWith("#")) return {};
  let place: unknown = root;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(place) || !Object.hasOwn(place, name)) return {};
    place = place[name];
  }
  return place;
}

function minimalProperties(walk: Walk, at: { schema: JsonObject; depth: number }): JsonObject {
  const { properties, required } = at.schema;
  const entries: [string, unknown][] = [];
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== "string") continue;
    if (walk.valuesLeft <= 0) break;
    const known = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : {};
    entries.push([name, minimal(walk, { schema: known, depth: at.depth + 1 })]);
  }
  return Object.fromEntries(entries);
}

function minimalItems(walk: Walk, at: { schema: JsonObject; depth: number }): unknown[] {
  const { minItems, prefixItems, items } = at.schema;
  const count = Math.min(atLeastZero(minItems), ITEMS_MAX);
  const first: unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  return Array.from({ length: count }, (_, index) =>
    minimal(walk, { schema: first[index] ?? items ?? {}, depth: at.depth + 1 }),
  );
}

function minimalNumber(schema: JsonObject): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === "number" && multipleOf > 0 ? multipleOf : 1;
  const low = Math.max(finite(minimum, -Infinity), finite(exclusiveMinimum, -Infinity));
  const high = Math.min(finite(maximum, Infinity), finite(exclusiveMaximum, Infinity));
  const above =
    exclusiveMinimum === low ? Math.floor(low / step) * step + step : Math.ceil(low / step) * step;
  const below =
    exclusiveMaximum === high ? Math.ceil(high / step) * step - step : Math.floor(high / step) * step;
  const whole = Math.min(Math.max(step, above), below);
  // A range narrower than one step holds no multiple of it; only a plain number can still be found inside.
  const isInside = exclusiveMinimum === low ? whole > low : whole >= low;
  const needsStep = multipleOf !== undefined || schema["type"] === "integer";
  return isInside || needsStep ? whole : low + (high - low) / 2;
}

function minimalString(schema: JsonObject): string {
  const byFormat = FORMATS.get(schema["format"]);
  if (byFormat !== undefined) return byFormat;
  const least = Math.min(atLeastZero(schema["minLength"]), CHARS_MAX);
  const most = typeof schema["maxLength"] === "number" ? atLeastZero(schema["maxLength"]) : CHARS_MAX;
  return "demo".padEnd(least, " demo").slice(0, most);
}

const FORMATS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ["date", "2025-01-01"],
  ["time", "12:00:00Z"],
  ["date-time", "2025-01-01T12:00:00Z"],
  ["email", "demo@example.com"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

function finite(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function atLeastZero(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.floor(value) : 0;
}
