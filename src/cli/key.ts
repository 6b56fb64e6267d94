import { byOf } from "../console/control.ts";
import { createKey } from "../console/keys.ts";
import { type ApiKey, keyState } from "../domain/api-key.ts";
import type { KeyListing } from "../store/keys.ts";
import { readExpiry, readUsd, usd } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { keyIdOf } from "./key-id.ts";
import { rotateCommand } from "./key-rotate.ts";
import { LIMIT_OPTIONS, limitsJson, limitsText, readLimits } from "./limits.ts";
import { clock, withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    summary: "make a key and show its string, this once",
    positionals: [],
    options: {
      account: { value: "EMAIL", required: true, meaning: "whose key it is" },
      name: { value: "NAME", required: true, meaning: "what to call it: the tool or device it is for" },
      group: { value: "GROUP", required: true, meaning: "which group it belongs to" },
      quota: { value: "USD", meaning: "what it may spend in all" },
      ...LIMIT_OPTIONS,
      expires: { value: "TIME", meaning: "2027-01-01, 2027-01-01T12:00:00Z, or from now: 30d, 12h" },
      key: { value: "STRING", meaning: "a string of your own instead of a generated one" },
    },
    details: 'With --json it prints exactly {"id":"key_…","key":"wgk_…"}.',
    run: create,
  },
  {
    name: "key list",
    summary: "list the keys, never their strings",
    positionals: [],
    options: { account: { value: "EMAIL", meaning: "of this account alone" } },
    run: list,
  },
  {
    name: "key disable",
    summary: "refuse a key from now on, and end its running streams",
    positionals: ["ID"],
    options: {},
    run: call => enable(call, false),
  },
  {
    name: "key enable",
    summary: "let a key work again",
    positionals: ["ID"],
    options: {},
    run: call => enable(call, true),
  },
  rotateCommand,
  {
    name: "key delete",
    summary: "delete a key for good; its usage stays on record",
    positionals: ["ID"],
    options: {},
    run: remove,
  },
];

async function create(call: Call): Promise<number> {
  const quota = call.text("quota");
  const limits = {
    quota: quota === null ? null : readUsd("--quota", quota),
    ...readLimits(call),
    expiresAtMs: readExpiry(call.text("expires"), clock.nowMs()),
  };
  const form = { email: call.need("account"), name: call.need("name"), group: call.need("group") };
  const made = await withSession(call, "refuse", ({ control }) =>
    createKey(control, { ...limits, ...form, custom: call.text("key") }),
  );
  if (call.json) printJson(call, { id: made.id, key: made.key });
  else {
    printLine(
      call,
      `The key “${form.name}” is made (${made.id}). This is the only time that its string is shown:`,
    );
    printLine(call, "");
    printLine(call, `  ${call.paint.bold(made.key)}`);
  }
  return EXIT_OK;
}

async function list(call: Call): Promise<number> {
  const email = call.text("account");
  const keys = await withSession(call, "refuse", ({ store }) => store.report("keys", { email }));
  const nowMs = clock.nowMs();
  if (call.json)
    printJson(
      call,
      keys.map(key => toJson(key, nowMs)),
    );
  else if (keys.length === 0) {
    printLine(
      call,
      "There are no keys yet. Make one with: wicketgate key create --account EMAIL --name NAME --group GROUP",
    );
  } else {
    const columns = [
      ...["ID", "ACCOUNT", "NAME", "KEY", "STATE", "GROUP"].map(title => ({ title })),
      { title: "SPENT USD", right: true as const },
      { title: "QUOTA USD", right: true as const },
      ...["EXPIRES", "LIMITS"].map(title => ({ title })),
    ];
    const rows = keys.map(key => [
      ...[key.id, key.email, key.name, key.preview, keyState(key, nowMs), key.group, usd(key.spent)],
      ...[key.quota === null ? "" : usd(key.quota), timeText(key.expiresAtMs), limitsText(key)],
    ]);
    call.io.stdout(table(columns, rows, call.paint));
  }
  return EXIT_OK;
}

function toJson(key: KeyListing, nowMs: number) {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: key.id,
    account: key.email,
    name: key.name,
    preview: key.preview,
    state: keyState(key, nowMs),
    group: key.group,
    quota: key.quota === null ? null : usd(key.quota),
    spent: usd(key.spent),
    held: usd(key.held),
    ...limitsJson(key),
    expires_at: time(key.expiresAtMs),
    created_at: time(key.createdAtMs),
    last_used_at: time(key.lastUsedAtMs),
  };
}

async function enable(call: Call, enabled: boolean): Promise<number> {
  const id = keyIdOf(call);
  const key = await withSession(call, "refuse", ({ store, control }) =>
    store.run("key.enable", { id, enabled, by: byOf(control) }),
  );
  return report(call, key);
}

async function remove(call: Call): Promise<number> {
  const id = keyIdOf(call);
  const key = await withSession(call, "refuse", ({ store, control }) =>
    store.run("key.delete", { id, by: byOf(control) }),
  );
  return report(call, key);
}

function report(call: Call, key: ApiKey): number {
  const state = keyState(key, clock.nowMs());
  if (call.json) printJson(call, { id: key.id, name: key.name, state });
  else printLine(call, `The key “${key.name}” (${key.id}) is ${state}.`);
  return EXIT_OK;
}
