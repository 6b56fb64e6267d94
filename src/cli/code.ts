import { CODE_NOTE_CHARACTERS_MAX, makeCodes } from "../console/codes.ts";
import { byOf } from "../console/control.ts";
import { readCode, redeemCode } from "../console/redeem.ts";
import { isId } from "../domain/ids.ts";
import { CODES_PAGE_MAX, CODES_PER_BATCH_MAX, type Code, codeState } from "../store/codes.ts";
import { emailOf, readAmount } from "./account.ts";
import { readCount, readExpiry, usd } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { clock, withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

const LIMIT_DEFAULT = 50;

export const codeCommands: readonly Command[] = [
  {
    name: "code create",
    summary: "make redemption codes and show them, this once",
    positionals: ["USD"],
    options: {
      count: { value: "N", meaning: `so many of them, 1 without this, at most ${CODES_PER_BATCH_MAX}` },
      expires: { value: "TIME", meaning: "2027-01-01, 2027-01-01T12:00:00Z, or from now: 30d, 12h" },
      note: { value: "TEXT", meaning: "what they are for, shown in the list" },
    },
    details: 'USD is what each of them credits. With --json it prints [{"id":"code_…","code":"wgc_…"}, …].',
    run: create,
  },
  {
    name: "code list",
    summary: "list the codes, newest first, never their strings",
    positionals: [],
    options: {
      limit: { value: "N", meaning: `so many, ${LIMIT_DEFAULT} without this, at most ${CODES_PAGE_MAX}` },
      before: { value: "ID", meaning: "older than this code: the id of the last one of the page before" },
    },
    run: list,
  },
  {
    name: "code redeem",
    summary: "credit an account with what a code is worth, which works once",
    positionals: ["EMAIL", "CODE"],
    options: {},
    details:
      "Capital or small letters, and how the code is grouped, do not matter. Put it in quotes if it has spaces.",
    run: redeem,
  },
  {
    name: "code revoke",
    summary: "let a code that nobody has used be used no longer",
    positionals: ["ID"],
    options: {},
    run: revoke,
  },
];

async function create(call: Call): Promise<number> {
  const amount = readAmount("What a code is worth", call.positionals[0] ?? "");
  const count = readCount("count", call.text("count"), CODES_PER_BATCH_MAX) ?? 1;
  const expiresAtMs = readExpiry(call.text("expires"), clock.nowMs());
  const note = (call.text("note") ?? "").trim();
  if (note.length > CODE_NOTE_CHARACTERS_MAX) {
    throw new UsageProblem(`--note must have at most ${CODE_NOTE_CHARACTERS_MAX} characters.`);
  }
  const form = { count, amount, note, expiresAtMs };
  const made = await withSession(call, "refuse", ({ control }) => makeCodes(control, form));
  if (call.json) {
    printJson(call, made);
    return EXIT_OK;
  }
  const worth = `${usd(amount)} USD`;
  const what = count === 1 ? `A code of ${worth} is made.` : `${count} codes of ${worth} each are made.`;
  const shown = count === 1 ? "it is shown" : "they are shown";
  printLine(call, `${what} This is the only time that ${shown}:`);
  printLine(call, "");
  for (const { code } of made) printLine(call, `  ${call.paint.bold(code)}`);
  return EXIT_OK;
}

async function list(call: Call): Promise<number> {
  const limit = readCount("limit", call.text("limit"), CODES_PAGE_MAX) ?? LIMIT_DEFAULT;
  const beforeId = call.text("before");
  if (beforeId !== null && !isId("code", beforeId)) {
    throw new UsageProblem("--before takes the id of a code, which begins with code_.");
  }
  const codes = await withSession(call, "refuse", ({ store }) => store.report("codes", { beforeId, limit }));
  const nowMs = clock.nowMs();
  if (call.json) {
    printJson(
      call,
      codes.map(code => toJson(code, nowMs)),
    );
  } else if (codes.length === 0) printLine(call, "There are no codes to show.");
  else {
    const columns = [
      ...[{ title: "ID" }, { title: "CODE" }, { title: "WORTH USD", right: true as const }],
      ...["STATE", "EXPIRES", "REDEEMED BY", "NOTE"].map(title => ({ title })),
    ];
    const rows = codes.map(code => [
      ...[code.id, code.preview, usd(code.amount), codeState(code, nowMs)],
      ...[timeText(code.expiresAtMs), code.redeemedBy ?? "", code.note],
    ]);
    call.io.stdout(table(columns, rows, call.paint));
    const last = codes.length === limit ? codes.at(-1) : undefined;
    if (last !== undefined) printLine(call, call.paint.dim(`Older codes: --before ${last.id}`));
  }
  return EXIT_OK;
}

/** What was given is not repeated in any answer: it is as good as money. */
async function redeem(call: Call): Promise<number> {
  const email = emailOf(call);
  const read = readCode(call.positionals[1] ?? "");
  if ("problem" in read) throw new UsageProblem(read.problem);
  const { account, amount } = await withSession(call, "refuse", ({ control }) =>
    redeemCode(control, { email, code: read.code }),
  );
  const balance = usd(account.balance);
  if (call.json) printJson(call, { account: account.email, redeemed: usd(amount), balance });
  else printLine(call, `${account.email} has redeemed ${usd(amount)} USD and has ${balance} USD now.`);
  return EXIT_OK;
}

async function revoke(call: Call): Promise<number> {
  const id = call.positionals[0] ?? "";
  if (!isId("code", id)) {
    throw new UsageProblem(
      "This takes the id of a code, which begins with code_, and not its string.",
      "See the ids with: wicketgate code list",
    );
  }
  const { code, nowMs } = await withSession(call, "refuse", async ({ store, control }) => {
    const by = byOf(control);
    return { code: await store.run("code.revoke", { id, by }), nowMs: by.nowMs };
  });
  if (code === null) throw new Failure(`There is no code ${id}.`);
  if (call.json) printJson(call, toJson(code, nowMs));
  else printLine(call, `The code ${code.preview} (${code.id}) can be used no longer.`);
  return EXIT_OK;
}

function toJson(code: Code, nowMs: number) {
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    id: code.id,
    preview: code.preview,
    amount: usd(code.amount),
    state: codeState(code, nowMs),
    note: code.note,
    created_at: time(code.createdAtMs),
    expires_at: time(code.expiresAtMs),
    redeemed_at: time(code.redeemedAtMs),
    redeemed_by: code.redeemedBy,
  };
}
