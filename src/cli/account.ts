import { byOf } from "../console/control.ts";
import { type Account, type AccountRole, isEmail } from "../domain/account.ts";
import { isId } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import { BALANCE_MAX_TEXT, LEDGER_PAGE_MAX, type LedgerEntry, type Moved } from "../store/accounts.ts";
import { readCount, readPositiveUsd, readUsd, usd } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

const REASON_CHARACTERS_MAX = 500;
const LEDGER_LIMIT_DEFAULT = 50;
const ALL = "all";

const LINE_OPTIONS = {
  reason: { value: "TEXT", required: true, meaning: "why, for the ledger" },
  "idempotency-key": { value: "KEY", meaning: "sent again with the same one, it is done once" },
} as const;

export const accountCommands: readonly Command[] = [
  {
    name: "account add",
    summary: "make an account",
    positionals: ["EMAIL"],
    options: {
      role: { value: "ROLE", meaning: "holder (as it is without this) or operator" },
      balance: { value: "USD", meaning: "opening balance" },
    },
    run: add,
  },
  { name: "account list", summary: "list the accounts", positionals: [], options: {}, run: list },
  {
    name: "account credit",
    summary: "add to an account's balance",
    positionals: ["EMAIL", "USD"],
    options: LINE_OPTIONS,
    run: call => move(call, 1n),
  },
  {
    name: "account debit",
    summary: "take from an account's balance what no running request needs",
    positionals: ["EMAIL", "USD"],
    options: LINE_OPTIONS,
    run: call => move(call, -1n),
  },
  {
    name: "account refund",
    summary: "give back what a request was charged, or a part of it",
    positionals: ["REQUEST", "USD"],
    options: LINE_OPTIONS,
    details: `REQUEST is its id, req_…, and USD how much, or “${ALL}” for all that has not been given back yet. What the key has spent of its quota stays as it is.`,
    run: refund,
  },
  {
    name: "account ledger",
    summary: "list every change of an account's balance, newest first",
    positionals: ["EMAIL"],
    options: {
      limit: {
        value: "N",
        meaning: `so many lines, ${LEDGER_LIMIT_DEFAULT} without this, at most ${LEDGER_PAGE_MAX}`,
      },
      before: { value: "ID", meaning: "older than this line: the id of the last line of the page before" },
    },
    run: ledger,
  },
  {
    name: "account disable",
    summary: "refuse every key of an account, and end its running streams",
    positionals: ["EMAIL"],
    options: {},
    run: call => enable(call, false),
  },
  {
    name: "account enable",
    summary: "let the keys of an account work again",
    positionals: ["EMAIL"],
    options: {},
    run: call => enable(call, true),
  },
];

async function add(call: Call): Promise<number> {
  const email = emailOf(call);
  const role = roleOf(call);
  const openingBalance = readUsd("--balance", call.text("balance") ?? "0");
  const account = await withSession(call, "create", ({ store, control }) =>
    store.run("account.add", {
      id: control.newId("acc"),
      ledgerId: control.newId("led"),
      email,
      role,
      openingBalance,
      by: byOf(control),
    }),
  );
  return report(call, account, `The account ${account.email} is made, with ${usd(account.balance)} USD.`);
}

async function list(call: Call): Promise<number> {
  const accounts = await withSession(call, "refuse", ({ store }) => store.report("accounts", {}));
  if (call.json) printJson(call, accounts.map(toJson));
  else if (accounts.length === 0) {
    printLine(call, "There are no accounts yet. Make one with: wicketgate account add EMAIL --balance USD");
  } else {
    const columns = [
      { title: "EMAIL" },
      { title: "ROLE" },
      { title: "STATE" },
      { title: "BALANCE USD", right: true },
      { title: "HELD USD", right: true },
    ] as const;
    const rows = accounts.map(({ email, role, enabled, balance, held }) => {
      return [email, role, enabled ? "enabled" : "disabled", usd(balance), usd(held)];
    });
    call.io.stdout(table(columns, rows, call.paint));
  }
  return EXIT_OK;
}

async function move(call: Call, sign: 1n | -1n): Promise<number> {
  const email = emailOf(call);
  const amount = readAmount("The amount", call.positionals[1] ?? "");
  const { why, once } = lineOf(call);
  const moved = await withSession(call, "refuse", ({ store, control }) =>
    store.run("account.move", {
      email,
      ledgerId: control.newId("led"),
      amount: amount * sign,
      why,
      once,
      by: byOf(control),
    }),
  );
  const done = sign > 0n ? "credited" : "debited";
  const { account } = moved;
  const sentence = `${account.email} is ${done} ${usd(amount)} USD and has ${usd(account.balance)} USD now.`;
  return reportMoved(call, moved, { sentence, json: {} });
}

async function refund(call: Call): Promise<number> {
  const [requestId = "", howMuch = ""] = call.positionals;
  if (!isId("req", requestId)) {
    throw new UsageProblem(
      "This takes the id of a request, which begins with req_.",
      "See the ids with: wicketgate usage --json",
    );
  }
  const amount = howMuch === ALL ? null : readAmount(`The amount, if it is not “${ALL}”,`, howMuch);
  const { why, once } = lineOf(call);
  const refunded = await withSession(call, "refuse", ({ store, control }) =>
    store.run("account.refund", {
      requestId,
      ledgerId: control.newId("led"),
      amount,
      why,
      once,
      by: byOf(control),
    }),
  );
  const { account, left } = refunded;
  const given = usd(refunded.amount);
  const sentence = `${account.email} is given back ${given} USD for ${requestId} and has ${usd(account.balance)} USD now.`;
  const json = { request: requestId, refunded: given, left: usd(left) };
  return reportMoved(call, refunded, { sentence, json });
}

/** Whoever sends it twice is told, and gets the same exit code: what they wanted is done. */
function reportMoved(call: Call, moved: Moved, done: { sentence: string; json: object }): number {
  const { account, repeated } = moved;
  const before = `This was done before with the same idempotency key, so nothing is done now: ${account.email} has ${usd(account.balance)} USD.`;
  if (call.json) printJson(call, { ...toJson(account), ...done.json, repeated });
  else printLine(call, repeated ? before : done.sentence);
  return EXIT_OK;
}

async function ledger(call: Call): Promise<number> {
  const email = emailOf(call);
  const limit = readCount("limit", call.text("limit"), LEDGER_PAGE_MAX) ?? LEDGER_LIMIT_DEFAULT;
  const beforeId = call.text("before");
  if (beforeId !== null && !isId("led", beforeId)) {
    throw new UsageProblem("--before takes the id of a ledger line, which begins with led_.");
  }
  const page = { email, beforeId, limit };
  const lines = await withSession(call, "refuse", ({ store }) => store.report("ledger", page));
  if (call.json) printJson(call, lines.map(lineJson));
  else if (lines.length === 0) printLine(call, "There are no ledger lines to show.");
  else {
    const columns = [
      ...[{ title: "TIME" }, { title: "KIND" }, { title: "AMOUNT USD", right: true as const }],
      ...["POCKET", "WHO", "WHY", "REQUEST"].map(title => ({ title })),
    ];
    const rows = lines.map(line => [
      ...[timeText(line.createdAtMs), line.kind, usd(line.amount), line.pocket],
      ...[line.actor, line.why, line.requestId ?? ""],
    ]);
    call.io.stdout(table(columns, rows, call.paint));
    const last = lines.length === limit ? lines.at(-1) : undefined;
    if (last !== undefined) printLine(call, call.paint.dim(`Older lines: --before ${last.id}`));
  }
  return EXIT_OK;
}

function lineJson(line: LedgerEntry) {
  return {
    id: line.id,
    at: new Date(line.createdAtMs).toISOString(),
    kind: line.kind,
    amount: usd(line.amount),
    pocket: line.pocket,
    who: line.actor,
    why: line.why,
    request: line.requestId,
  };
}

/** Why a line is written, and what whoever sends it calls it. */
function lineOf(call: Call): { why: string; once: string | null } {
  const why = call.need("reason").trim();
  if (why === "") throw new UsageProblem("--reason must say why, because the ledger keeps it.");
  if (why.length > REASON_CHARACTERS_MAX) {
    throw new UsageProblem(`--reason must have at most ${REASON_CHARACTERS_MAX} characters.`);
  }
  return { why, once: call.text("idempotency-key") };
}

/** An amount of which the number is right and the size is not is told so. */
export function readAmount(what: string, text: string): Nanos {
  if (/^\s*\d{10,}(?:\.\d*)?\s*$/.test(text)) {
    throw new UsageProblem(`${what} must be less than ${BALANCE_MAX_TEXT} USD.`);
  }
  return readPositiveUsd(what, text);
}

async function enable(call: Call, enabled: boolean): Promise<number> {
  const email = emailOf(call);
  const account = await withSession(call, "refuse", ({ store, control }) =>
    store.run("account.enable", { email, enabled, by: byOf(control) }),
  );
  return report(call, account, `The account ${account.email} is ${enabled ? "enabled" : "disabled"}.`);
}

export function roleOf(call: Call): AccountRole {
  const role = call.text("role") ?? "holder";
  if (role !== "holder" && role !== "operator") throw new UsageProblem("--role must be holder or operator.");
  return role;
}

export function emailOf(call: Call): string {
  const email = call.positionals[0] ?? "";
  if (!isEmail(email)) throw new UsageProblem(`“${email}” is not an e-mail address such as ann@example.org.`);
  return email;
}

function report(call: Call, account: Account, sentence: string): number {
  if (call.json) printJson(call, toJson(account));
  else printLine(call, sentence);
  return EXIT_OK;
}

/** Money is a text in JSON, because a reader's floats would bend it. */
function toJson({ id, email, role, enabled, balance, held }: Account) {
  return { id, email, role, enabled, balance: usd(balance), held: usd(held) };
}
