import type { HeldKey } from "../../store/keys-of-account.ts";
import type { tryEndpoints } from "../contract/operator/records.ts";
import { openCopy } from "../keys.ts";
import { noSuchKey, ownKey } from "./keys.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handlers, SignedIn } from "./visit.ts";

const PATHS = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
} as const;

export const tryHandlers = {
  /**
   * A request as clients send them, with a key whose string stays here: admitted, limited and charged by the
   * gateway, and answered by it. The header tells its refusals from the console's own.
   */
  "POST /try": async (visit, { body }) => {
    const key = await ownKey(visit, body.key);
    const string = await keptString(visit, key);
    const { desk, root, request } = visit;
    const sent = new Request(new URL(PATHS[body.dialect], root).href, {
      method: "POST",
      headers: {
        authorization: `Bearer ${string}`,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body.body)),
        "user-agent": `wicketgate-console/${desk.version}`,
      },
      body: body.body,
      // Whoever leaves the page ends the request.
      signal: request.signal,
    });
    const answer = await desk.dispatch(sent, request);
    answer.headers.set("x-answered-by", "gateway");
    return answer;
  },
} satisfies Pick<Handlers, keyof typeof tryEndpoints>;

async function keptString({ control, visitor, desk }: SignedIn, key: HeldKey): Promise<string> {
  const copy = await desk.store.report("key.sealed_copy", { accountId: visitor.id, id: key.id });
  if (copy === null) throw noSuchKey();
  const { hash, sealed } = copy;
  const opened = sealed === null ? null : openCopy(control, { hash, sealed });
  if (opened !== null) return opened;
  const remedy = desk.settings().sealedCopies
    ? "Rotate the key, or try another one."
    : "This installation keeps none, so a key can be tried in a client only.";
  throw new ConsoleProblem(
    "conflict",
    `No copy of the string of “${key.name}” is kept here, so it cannot be tried from the console. ${remedy}`,
  );
}
