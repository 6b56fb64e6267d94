import {
  SETTING_KEYS,
  type SettingKey,
  type SettingKind,
  settingKey,
  settingName,
  settings,
} from "../domain/settings.ts";
import type { SettingTexts } from "../domain/settings-house.ts";
import { SECRET_IS_SET, type SettingChange } from "../store/settings.ts";
import { seal } from "../upstream/seal.ts";
import { BOUND_TO } from "./bound-to.ts";
import { byOf, type Control } from "./control.ts";

/** What console and command line do with the settings, by one rule. */

export type SettingView = {
  name: string;
  /** As the environment writes it; of a secret nothing. */
  value: string;
  default: string;
  from: "environment" | "console" | "default";
  variable: string;
  kind: SettingKind;
  choices: string[];
  is_set: boolean;
};

type Lister = Pick<Control, "store" | "fixedSettings">;

/** As they are in the database now, whatever this process has read before. */
export async function listSettings({ store, fixedSettings: fixed }: Lister): Promise<SettingView[]> {
  const stored = new Map((await store.run("settings.read", {})).map(row => [row.name, row]));
  return SETTING_KEYS.map(key => {
    const { env, fallback, kind, choices = [], secret } = settings[key];
    const name = settingName(key);
    const row = stored.get(name);
    const given = fixed[key] ?? row?.value;
    const isGiven = given !== undefined;
    return {
      name,
      value: secret === true ? "" : (given ?? fallback ?? ""),
      default: fallback ?? "",
      from: fixed[key] !== undefined ? "environment" : isGiven ? "console" : "default",
      variable: env,
      kind,
      choices: [...choices],
      is_set: isGiven || fallback !== null,
    };
  });
}

/** Each by its name; null, or nothing at all, gives back what it began with. */
export type SettingsForm = Readonly<Record<string, string | null>>;
/** What is wrong, after the name. */
export type NamedProblem = { name: string; problem: string };

/** All or none. What cannot be is named, each at its setting, and nothing is changed then. */
export async function changeSettings(control: Control, form: SettingsForm): Promise<NamedProblem[]> {
  const problems: NamedProblem[] = [];
  const changes: SettingChange[] = [];
  for (const [name, text] of Object.entries(form)) {
    const read = readChange(control, name, text);
    if ("problem" in read) problems.push({ name: name.slice(0, NAME_SHOWN_MAX), problem: read.problem });
    else changes.push(read);
  }
  if (problems.length > 0 || changes.length === 0) return problems;
  const fixed = withoutSecrets(control.fixedSettings);
  const found = await control.store.run("settings.change", { changes, fixed, by: byOf(control) });
  return found.map(({ key, problem }) => ({ name: settingName(key), problem }));
}

const NAME_SHOWN_MAX = 64;

function readChange(
  { fixedSettings, secrets }: Control,
  name: string,
  given: string | null,
): SettingChange | { problem: string } {
  const key = settingKey(name);
  if (key === null) return { problem: "is not a setting that there is" };
  const { env, read, secret } = settings[key];
  if (fixedSettings[key] !== undefined) {
    return { problem: `is fixed by the environment: change ${env} there, or remove it, and start again` };
  }
  const text = secret === true ? (given ?? "") : (given ?? "").normalize("NFC").trim();
  if (text === "") return { key, value: null, sealed: null };
  const found = read(text);
  if ("problem" in found) return found;
  const boundTo = BOUND_TO.settings(name);
  if (secret !== true || boundTo === null) return { key, value: keptText(key, text), sealed: null };
  return { key, value: "", sealed: seal(text, { key: secrets.seal, boundTo }) };
}

/** The same address or colour is written in one way. */
function keptText(key: SettingKey, text: string): string {
  if (key === "publicUrl") {
    const read = settings.publicUrl.read(text);
    return "value" in read ? (read.value ?? text) : text;
  }
  return key === "accent" ? text.toLowerCase() : text;
}

/** They go to another thread, where it is enough to know that they are there. */
function withoutSecrets(fixed: SettingTexts): SettingTexts {
  const entries = Object.entries(fixed) as [SettingKey, string][];
  return Object.fromEntries(
    entries.map(([key, text]) => [key, settings[key].secret === true ? SECRET_IS_SET : text]),
  );
}

const COPIES_AT_ONCE = 200;
/** Others look five times a second; whoever has not heard yet may have made one meanwhile. */
const HEARD_MS = 600;

/** Removes the copies of keys that are kept, some at a time; gives how many it was. */
export async function removeSealedCopies(
  control: Control,
  heard: () => Promise<unknown> = () => Bun.sleep(HEARD_MS),
): Promise<number> {
  const first = await removeAll(control);
  await heard();
  return first + (await removeAll(control));
}

async function removeAll(control: Control): Promise<number> {
  let after = "";
  let removed = 0;
  for (;;) {
    const step = { after, limit: COPIES_AT_ONCE, by: byOf(control) };
    const done = await control.store.run("settings.forget_copies", step);
    if (done === null) return removed;
    after = done.last;
    removed += done.count;
  }
}
