import { describe, expect, test } from "bun:test";
import { ApiError } from "./api-error.ts";
import { addressOf, type ClientParts, createClient } from "./client.ts";

type Sent = { url: string; init: RequestInit };

/** A server that gives these answers, one after the other. */
function rig(answers: readonly (Response | Error)[], parts: Partial<ClientParts> = {}) {
  const sent: Sent[] = [];
  let asked = 0;
  let signedOut = 0;
  const call = createClient({
    fetch: async (url, init) => {
      sent.push({ url, init });
      const answer = answers[sent.length - 1];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no answer left");
      return answer.clone();
    },
    isOnline: () => true,
    onSignedOut: () => {
      signedOut += 1;
    },
    confirmIdentity: async () => {
      asked += 1;
      return true;
    },
    ...parts,
  });
  return { call, sent, asked: () => asked, signedOut: () => signedOut };
}

const problem = (status: number, code: string, more: Record<string, unknown> = {}) =>
  Response.json({ error: { code, message: "A sentence.", request_id: "req_1", ...more } }, { status });

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`not an ApiError: ${String(error)}`);
  return error;
}

const NEEDED = () => problem(403, "recent_sign_in_needed");

describe("a call", () => {
  test("fills path and query safely and sends nothing to any other place", () => {
    expect(addressOf("GET /keys/{id}", { params: { id: "../a b/?#" } })).toBe(
      "/console/api/keys/..%2Fa%20b%2F%3F%23",
    );
    expect(addressOf("GET /usage", { query: { model: "a&b=c", key: undefined, tool: "" } })).toBe(
      "/console/api/usage?model=a%26b%3Dc",
    );
  });

  test("sends JSON with the browser's own cookie, and a body only where there is one", async () => {
    const { call, sent } = rig([Response.json({ next: "done" }), Response.json({ done: true })]);
    await call("POST /sign-in", { body: { email: "a@b", password: "x" } });
    await call("DELETE /session");
    expect(sent[0]?.init.method).toBe("POST");
    expect(sent[0]?.init.credentials).toBe("same-origin");
    expect(sent[0]?.init.body).toBe('{"email":"a@b","password":"x"}');
    expect(new Headers(sent[0]?.init.headers).get("content-type")).toBe("application/json");
    expect(sent[1]?.init.body).toBeUndefined();
  });

  test("ends as an ApiError with what is wrong at which field", async () => {
    const fields = [{ path: "name", message: "is taken" }];
    const { call } = rig([problem(409, "conflict", { fields, retry_after_seconds: 7 })]);
    const error = await failure(call("GET /keys"));
    expect(error.code).toBe("conflict");
    expect(error.field("name")).toBe("is taken");
    expect(error.field("group")).toBeUndefined();
    expect(error.retryAfterSeconds).toBe(7);
  });

  test("says lost or offline where no answer came, unavailable for a proxy's page", async () => {
    expect((await failure(rig([new TypeError("x")]).call("GET /keys"))).code).toBe("lost");
    expect((await failure(rig([new TypeError("x")], { isOnline: () => false }).call("GET /keys"))).code).toBe(
      "offline",
    );
    const page = new Response("<h1>Bad gateway</h1>", { status: 502 });
    expect((await failure(rig([page]).call("GET /keys"))).code).toBe("unavailable");
    expect((await failure(rig([new Response("<p>")]).call("GET /keys"))).code).toBe("failed");
  });

  test("that was stopped stays stopped and is no failure of the network", async () => {
    const stop = new AbortController();
    stop.abort();
    const { call } = rig([new DOMException("stopped", "AbortError")]);
    const error = await call("GET /keys", { signal: stop.signal }).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(ApiError);
  });

  test("tells that the session is over", async () => {
    const { call, signedOut, asked } = rig([problem(401, "not_signed_in")]);
    expect((await failure(call("GET /keys"))).code).toBe("not_signed_in");
    expect(signedOut()).toBe(1);
    expect(asked()).toBe(0);
  });

  test("asks for a proof and is then repeated as it was, once", async () => {
    const { call, sent, asked } = rig([NEEDED(), Response.json({ link: "x" })]);
    await call("POST /operator/accounts/{id}/reset", { params: { id: "acc_1" } });
    expect(asked()).toBe(1);
    expect(sent.map(({ url }) => url)).toEqual([
      "/console/api/operator/accounts/acc_1/reset",
      "/console/api/operator/accounts/acc_1/reset",
    ]);
    expect((await failure(rig([NEEDED(), NEEDED()]).call("DELETE /account/totp"))).code).toBe(
      "recent_sign_in_needed",
    );
  });

  test("is not repeated where nobody proves anything", async () => {
    const { call, sent } = rig([NEEDED()], { confirmIdentity: async () => false });
    expect((await failure(call("DELETE /account/totp"))).code).toBe("recent_sign_in_needed");
    expect(sent.length).toBe(1);
  });

  test("asks once for all calls that need it at the same moment", async () => {
    let asked = 0;
    const done = Response.json({ done: true });
    const { call } = rig([NEEDED(), NEEDED(), done, done], {
      confirmIdentity: async () => {
        asked += 1;
        await Bun.sleep(5);
        return true;
      },
    });
    await Promise.all([call("DELETE /account/totp"), call("DELETE /account/totp")]);
    expect(asked).toBe(1);
  });
});
