import { type Account, isEmail } from "../domain/account.ts";
import { readPositiveUsd, readUsd, usd } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";
import { table } from "./table.ts";

const REASON_CHARACTERS_MAX = 500;

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
    options: { reason: { value: "TEXT", required: true, meaning: "why, for the ledger" } },
    run: call => move(call, 1n),
  },
  {
    name: "account debit",
    summary: "take from an account's balance what no running request needs",
    positionals: ["EMAIL", "USD"],
    options: { reason: { value: "TEXT", required: true, meaning: "why, for the ledger" } },
    run: call => move(call, -1n),
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
  const role = call.text("role") ?? "holder";
  if (role !== "holder" && role !== "operator") throw new UsageProblem("--role must be holder or operator.");
  const openingBalance = readUsd("--balance", call.text("balance") ?? "0");
  const account = await withSession(call, "create", ({ store, control }) =>
    store.run("account.add", {
      id: control.newId("acc"),
      ledgerId: control.newId("led"),
      email,
      role,
      openingBalance,
      actor: control.actor,
      nowMs: control.nowMs(),
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
  const amount = readPositiveUsd("The amount", call.positionals[1] ?? "");
  const why = call.need("reason").trim();
  if (why === "") throw new UsageProblem("--reason must say why, because the ledger keeps it.");
  if (why.length > REASON_CHARACTERS_MAX) {
    throw new UsageProblem(`--reason must have at most ${REASON_CHARACTERS_MAX} characters.`);
  }
  const account = await withSession(call, "refuse", ({ store, control }) =>
    store.run("account.move", {
      email,
      ledgerId: control.newId("led"),
      amount: amount * sign,
      why,
      actor: control.actor,
      nowMs: control.nowMs(),
    }),
  );
  const done = sign > 0n ? "credited" : "debited";
  return report(
    call,
    account,
    `${account.email} is ${done} ${usd(amount)} USD and has ${usd(account.balance)} USD now.`,
  );
}

async function enable(call: Call, enabled: boolean): Promise<number> {
  const email = emailOf(call);
  const account = await withSession(call, "refuse", ({ store }) =>
    store.run("account.enable", { email, enabled }),
  );
  return report(call, account, `The account ${account.email} is ${enabled ? "enabled" : "disabled"}.`);
}

function emailOf(call: Call): string {
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
