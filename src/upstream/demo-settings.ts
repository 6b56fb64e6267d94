import { isObject, type JsonObject } from "./demo-json.ts";
import { quote } from "./demo-text.ts";

/** How the demo behaves; every part of it can be set by the model name or by the body's `demo` field. */
export type DemoSettings = {
  delayMs: number;
  firstMs: number;
  tokens: number | null;
  failStatus: number | null;
  cutAfter: number | null;
  usage: "honest" | DemoUsageFault;
  /** Whether it thinks: as the request asks, in any case, or in any case without telling what. */
  thinking: "as-asked" | "always" | "redacted";
  refuses: boolean;
  /** It says that it has seen the beginning of the prompt before. */
  isCached: boolean;
};

export type DemoUsageFault = (typeof USAGE_FAULTS)[number];

/** Why a request cannot be answered; `param` is the field at fault, where there is one. */
export type DemoRefusal = { status: number; message: string; param: string | null };

const USAGE_FAULTS = ["none", "negative", "huge", "text"] as const;

const PLAIN: DemoSettings = {
  delayMs: 0,
  firstMs: 0,
  tokens: null,
  failStatus: null,
  cutAfter: null,
  usage: "honest",
  thinking: "as-asked",
  refuses: false,
  isCached: false,
};

type Control = {
  word: string;
  field: string;
  setting: "delayMs" | "firstMs" | "tokens" | "failStatus" | "cutAfter";
  min: number;
  max: number;
};

const CONTROLS: readonly Control[] = [
  { word: "delay", field: "delay_ms", setting: "delayMs", min: 0, max: 60_000 },
  { word: "first", field: "first_ms", setting: "firstMs", min: 0, max: 60_000 },
  { word: "tokens", field: "tokens", setting: "tokens", min: 0, max: 1_000_000 },
  { word: "fail", field: "fail_status", setting: "failStatus", min: 400, max: 599 },
  { word: "cut", field: "cut_after", setting: "cutAfter", min: 0, max: 1_000_000 },
];

type Value = { value: unknown; set: Partial<DemoSettings> };

/** Fields that take one of a few values. */
const CHOICES: Readonly<Record<string, readonly Value[]>> = {
  usage: USAGE_FAULTS.map(fault => ({ value: fault, set: { usage: fault } })),
  thinking: [
    { value: true, set: { thinking: "always" } },
    { value: false, set: { thinking: "as-asked" } },
    { value: "redacted", set: { thinking: "redacted" } },
  ],
  refuse: [true, false].map(value => ({ value, set: { refuses: value } })),
  cached: [true, false].map(value => ({ value, set: { isCached: value } })),
};

const WORDS: ReadonlyMap<string, Partial<DemoSettings>> = new Map<string, Partial<DemoSettings>>([
  ["nousage", { usage: "none" }],
  ["think", { thinking: "always" }],
  ["refuse", { refuses: true }],
  ["cached", { isCached: true }],
]);

/** The body's field wins over the model name. */
export function readSettings(request: {
  model: string;
  body: JsonObject;
}): { settings: DemoSettings } | { refusal: DemoRefusal } {
  const settings = { ...PLAIN };
  const refusal = setByModel(settings, request.model) ?? setByBody(settings, request.body["demo"]);
  return refusal === null ? { settings } : { refusal };
}

function setByModel(settings: DemoSettings, model: string): DemoRefusal | null {
  const words = model.split("-").slice(1);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    Object.assign(settings, WORDS.get(word));
    // Other words are left alone: a name such as demo-large is a good one.
    const control = CONTROLS.find(one => one.word === word);
    if (control === undefined) continue;
    const digits = words[++at] ?? "";
    const value = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
    if (!allows(control, value)) return outOfRange({ control, name: `"${control.word}"`, param: "model" });
    settings[control.setting] = value;
  }
  return null;
}

function setByBody(settings: DemoSettings, demo: unknown): DemoRefusal | null {
  if (demo === undefined || demo === null) return null;
  if (!isObject(demo)) return { status: 400, message: "'demo' must be an object.", param: "demo" };
  for (const [field, value] of Object.entries(demo)) {
    const refusal = setField(settings, { field, value });
    if (refusal !== null) return refusal;
  }
  return null;
}

function setField(settings: DemoSettings, given: { field: string; value: unknown }): DemoRefusal | null {
  const { field, value } = given;
  const param = `demo.${quote(field)}`;
  const control = CONTROLS.find(one => one.field === field);
  if (control !== undefined) {
    if (!allows(control, value)) return outOfRange({ control, name: `'${param}'`, param });
    settings[control.setting] = value;
    return null;
  }
  const choices = Object.hasOwn(CHOICES, field) ? CHOICES[field] : undefined;
  if (choices === undefined) {
    return { status: 400, message: `'${param}' is not a field the demo model knows.`, param };
  }
  const chosen = choices.find(one => one.value === value);
  if (chosen === undefined) {
    const values = choices.map(one => String(one.value)).join(", ");
    return { status: 400, message: `'${param}' must be one of ${values}.`, param };
  }
  Object.assign(settings, chosen.set);
  return null;
}

function allows(control: Control, value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= control.min && Number(value) <= control.max;
}

function outOfRange(fault: { control: Control; name: string; param: string }): DemoRefusal {
  const { min, max } = fault.control;
  const where = fault.param === "model" ? " in the model name must be followed by" : " must be";
  const message = `${fault.name}${where} a whole number from ${min} to ${max}.`;
  return { status: 400, message, param: fault.param };
}
