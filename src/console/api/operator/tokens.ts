import type { z } from "zod";
import { isId } from "../../../domain/ids.ts";
import type { TokenListing } from "../../../store/tokens.ts";
import type { operatorToken, tokenEndpoints } from "../../contract/operator/records.ts";
import { shownName } from "../../sign-in/shown-name.ts";
import { createToken, revokeToken } from "../../tokens.ts";
import { demandRecent } from "../access.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, SignedIn } from "../visit.ts";

export const tokenHandlers = {
  "GET /operator/tokens": async ({ desk }) => ({
    tokens: (await desk.store.report("tokens", {})).map(tokenView),
  }),

  "POST /operator/tokens": async ({ control, visitor }, { body }) => {
    const name = shownName(body.name, { what: "The name", path: "name" });
    const made = await createToken(control, { ...body, name, email: visitor.email });
    return { token: tokenView(made.token), string: made.string };
  },

  "DELETE /operator/tokens/{id}": async (visit, { params: { id } }) => {
    if (!isId("tok", id)) throw noSuchToken();
    await demandOwnOrRecent(visit, id);
    if ((await revokeToken(visit.control, id)) === null) throw noSuchToken();
    return { done: true };
  },
} satisfies Pick<Handlers, keyof typeof tokenEndpoints>;

/** One's own token can be ended in a hurry; to end another operator's, one proves again who one is. */
async function demandOwnOrRecent(visit: SignedIn, id: string): Promise<void> {
  const tokens = await visit.desk.store.report("tokens", {});
  const token = tokens.find(one => one.id === id);
  if (token !== undefined && token.accountId !== visit.visitor.id) demandRecent(visit);
}

function noSuchToken(): ConsoleProblem {
  return new ConsoleProblem("not_found", "There is no such token, or no longer.");
}

function tokenView(token: TokenListing): z.output<typeof operatorToken> {
  const { id, name, preview, scope, email, createdAtMs, expiresAtMs, lastUsedAtMs } = token;
  return {
    ...{ id, name, preview, scope },
    by: email,
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: new Date(expiresAtMs).toISOString(),
    last_used_at: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
  };
}
