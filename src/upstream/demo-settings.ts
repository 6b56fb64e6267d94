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
    if (words[at] === "nousage") settings.usage = "none";
    // Other words are left alone: a name such as demo-large is a good one.
    const control = CONTROLS.find(one => one.word === words[at]);
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
    const param = `demo.${quote(field)}`;
    const control = CONTROLS.find(one => one.field === field);
    if (control !== undefined) {
      if (!allows(control, value)) return outOfRange({ control, name: `'${param}'`, param });
      settings[control.setting] = value;
    } else if (field === "usage") {
      const fault = USAGE_FAULTS.find(one => one === value);
      if (fault === undefined) {
        return { status: 400, message: `'${param}' must be one of ${USAGE_FAULTS.join(", ")}.`, param };
      }
      settings.usage = fault;
    } else {
      return { status: 400, message: `'${param}' is not a field the demo model knows.`, param };
    }
  }
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
