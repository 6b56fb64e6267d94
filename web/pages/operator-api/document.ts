/** The OpenAPI document as far as it is shown. It comes from our own server, from the table that the server checks by. */

export type Schema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  additionalProperties?: boolean | Schema;
  $ref?: string;
};

type Operation = {
  summary?: string;
  description?: string;
  security?: readonly Record<string, unknown>[];
  parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
};

export type Document = {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
};

export type Shown = {
  /** `GET /operator/accounts`. */
  name: string;
  method: string;
  path: string;
  noun: string;
  summary: string;
  /** As the document has it, and as it is searched for too. */
  english: string;
  /** A sentence: who may call it. */
  who: string;
  takesToken: boolean;
  isOpen: boolean;
  params: readonly { name: string; in: string; isRequired: boolean; schema: Schema }[];
  body: Schema | null;
  /** Null: not JSON. */
  answer: Schema | null;
};

const JSON_TYPE = "application/json";

function nounOf(path: string): string {
  const [first = "", second = ""] = path.slice(1).split("/");
  return first === "operator" ? `operator/${second}` : first;
}

export function readDocument({ paths }: Document): Shown[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return {
        name: `${method} ${path}`,
        method,
        path,
        noun: nounOf(path),
        summary: operation.summary ?? "",
        english: operation.summary ?? "",
        who: operation.description ?? "",
        takesToken: operation.security?.some(one => "token" in one) ?? false,
        isOpen: operation.security === undefined,
        params: (operation.parameters ?? []).map(one => ({
          name: one.name,
          in: one.in,
          isRequired: one.required ?? false,
          schema: one.schema,
        })),
        body: operation.requestBody?.content?.[JSON_TYPE]?.schema ?? null,
        answer: operation.responses?.["200"]?.content?.[JSON_TYPE]?.schema ?? null,
      };
    }),
  );
}

export function matching(all: readonly Shown[], text: string): Shown[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ name, summary, english }) => {
    const whole = `${name} ${summary} ${english}`.toLowerCase();
    return words.every(word => whole.includes(word));
  });
}

/** One line of a form: how deep it stands, its name, and what it takes. */
export type Line = {
  id: string;
  depth: number;
  name: string;
  type: string;
  isRequired: boolean;
  rule: string;
};

const DEPTH_MAX = 8;

export function linesOf(schema: Schema): Line[] {
  const lines: Line[] = [];
  fields(schema, { depth: 0, path: "" }, lines);
  return lines;
}

type Place = { depth: number; path: string };

function fields(schema: Schema, { depth, path }: Place, lines: Line[]): void {
  if (depth > DEPTH_MAX) return;
  const inner = schema.items ?? schema;
  const choices = inner.oneOf ?? inner.anyOf;
  if (choices !== undefined) {
    choices.forEach((choice, at) => {
      if (choice.properties === undefined && choice.items === undefined) return;
      const id = `${path}|${at}`;
      lines.push({ id, depth, name: `${at + 1}`, type: "or", isRequired: false, rule: "" });
      fields(choice, { depth: depth + 1, path: id }, lines);
    });
    return;
  }
  if (inner !== schema && inner.properties === undefined) fields(inner, { depth, path }, lines);
  for (const [name, field] of Object.entries(inner.properties ?? {})) {
    const id = `${path}.${name}`;
    const isRequired = inner.required?.includes(name) ?? false;
    lines.push({ id, depth, name, type: typeOf(field), isRequired, rule: ruleOf(field) });
    fields(field, { depth: depth + 1, path: id }, lines);
  }
}

export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "object";
  if (schema.enum !== undefined) {
    const nullable =
      Array.isArray(schema.type) && schema.type.includes("null") && !schema.enum.includes(null);
    return [...schema.enum, ...(nullable ? [null] : [])].map(value => JSON.stringify(value)).join(" | ");
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" | ");
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? "any"];
  return types
    .map(type => {
      if (type === "array") return `array of ${schema.items === undefined ? "any" : typeOf(schema.items)}`;
      return type === "string" && schema.format !== undefined ? schema.format : type;
    })
    .join(" | ");
}

/** Bounds, in the signs that everybody reads. */
export function ruleOf(schema: Schema): string {
  const between = (least: number | undefined, most: number | undefined, of: string) => {
    // What a number of the machine bounds is no rule.
    const low = least === undefined || least === -Number.MAX_SAFE_INTEGER ? undefined : least;
    const high = most === undefined || most === Number.MAX_SAFE_INTEGER ? undefined : most;
    if (low === undefined && high === undefined) return null;
    if (low === undefined) return `${of} ≤ ${high}`;
    return high === undefined ? `${of} ≥ ${low}` : `${low} ≤ ${of} ≤ ${high}`;
  };
  return [
    between(schema.minimum, schema.maximum, "n"),
    between(schema.minLength, schema.maxLength, "length"),
    between(schema.minItems, schema.maxItems, "items"),
    schema.format === undefined && schema.pattern !== undefined ? `/${schema.pattern}/` : null,
  ]
    .filter(Boolean)
    .join(", ");
}
