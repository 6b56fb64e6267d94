import { createToken, revokeToken, TOKEN_DAYS_MAX } from "../console/tokens.ts";
import { isId } from "../domain/ids.ts";
import { TOKEN_SCOPES, type TokenScope } from "../domain/operator-token.ts";
import type { TokenListing } from "../store/tokens.ts";
import { readCount } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { clock, withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

const DAYS_DEFAULT = 90;

export const tokenCommands: readonly Command[] = [
  {
    name: "token create",
    summary: "make an operator token for the console's API and show its string, this once",
    positionals: [],
    options: {
      account: { value: "EMAIL", required: true, meaning: "the operator in whose name it acts" },
      name: { value: "NAME", required: true, meaning: "what to call it: the program that it is for" },
      scope: {
        value: "SCOPE",
        meaning: "read (as it is without this), write, or write-all for what asks people to confirm",
      },
      days: {
        value: "N",
        meaning: `for so many days, ${DAYS_DEFAULT} without this, at most ${TOKEN_DAYS_MAX}`,
      },
    },
    details: 'With --json it prints exactly {"id":"tok_…","token":"wgo_…","expires_at":"…"}.',
    run: create,
  },
  {
    name: "token list",
    summary: "list the operator tokens, never their strings",
    positionals: [],
    options: {},
    run: list,
  },
  {
    name: "token revoke",
    summary: "end an operator token",
    positionals: ["ID"],
    options: {},
    run: revoke,
  },
];

async function create(call: Call): Promise<number> {
  const form = {
    email: call.need("account"),
    name: call.need("name"),
    scope: scopeOf(call),
    days: readCount("days", call.text("days"), TOKEN_DAYS_MAX) ?? DAYS_DEFAULT,
  };
  const { token, string } = await withSession(call, "refuse", ({ control }) => createToken(control, form));
  const { id, name, scope, expiresAtMs } = token;
  if (call.json) {
    printJson(call, { id, token: string, expires_at: new Date(expiresAtMs).toISOString() });
    return EXIT_OK;
  }
  const until = timeText(expiresAtMs);
  printLine(call, `The token “${name}” (${id}, ${scope}) is made and works until ${until}.`);
  printLine(call, "This is the only time that its string is shown:");
  printLine(call, "");
  printLine(call, `  ${call.paint.bold(string)}`);
  return EXIT_OK;
}

function scopeOf(call: Call): TokenScope {
  const given = call.text("scope") ?? "read";
  const scope = TOKEN_SCOPES.find(one => one === given);
  if (scope === undefined) throw new UsageProblem(`--scope must be one of ${TOKEN_SCOPES.join(", ")}.`);
  return scope;
}

async function list(call: Call): Promise<number> {
  const tokens = await withSession(call, "refuse", ({ store }) => store.report("tokens", {}));
  if (call.json) printJson(call, tokens.map(toJson));
  else if (tokens.length === 0) {
    printLine(
      call,
      "There are no tokens. Make one with: wicketgate token create --account EMAIL --name NAME",
    );
  } else {
    const titles = ["ID", "NAME", "TOKEN", "SCOPE", "ACCOUNT", "EXPIRES", "LAST USED"];
    const nowMs = clock.nowMs();
    const rows = tokens.map(token => [
      ...[token.id, token.name, token.preview, token.scope, token.email],
      token.expiresAtMs <= nowMs ? "expired" : timeText(token.expiresAtMs),
      timeText(token.lastUsedAtMs),
    ]);
    const columns = titles.map(title => ({ title }));
    call.io.stdout(table(columns, rows, call.paint));
  }
  return EXIT_OK;
}

function toJson({ id, name, preview, scope, email, createdAtMs, expiresAtMs, lastUsedAtMs }: TokenListing) {
  return {
    ...{ id, name, preview, scope, account: email },
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: new Date(expiresAtMs).toISOString(),
    last_used_at: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
  };
}

/** What was given is not repeated: it may be the token's string, typed in the wrong place. */
async function revoke(call: Call): Promise<number> {
  const id = call.positionals[0] ?? "";
  if (!isId("tok", id)) {
    throw new UsageProblem(
      "This takes the id of a token, which begins with tok_, and not its string or name.",
      "See the ids with: wicketgate token list",
    );
  }
  const token = await withSession(call, "refuse", ({ control }) => revokeToken(control, id));
  if (token === null) throw new Failure(`There is no token ${id}.`);
  if (call.json) printJson(call, toJson(token));
  else printLine(call, `The token “${token.name}” (${token.id}) is ended.`);
  return EXIT_OK;
}
