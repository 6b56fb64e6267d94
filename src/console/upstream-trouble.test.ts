import { describe, expect, test } from "bun:test";
import type { Trouble } from "../upstream/hear.ts";
import { type Asked, explainTrouble } from "./upstream-trouble.ts";

const list: Asked = {
  ...{ what: "list", url: "https://api.example.org/v1/models", kind: "groq", hasCredential: true },
};
const call: Asked = { ...list, what: "call", url: "https://api.example.org/v1/chat/completions" };

const failure = (detail: string, kind: "connect" | "connect-timeout" | "protocol" = "connect"): Trouble => {
  return { kind: "failure", failure: kind, detail };
};
const status = (code: number, said = ""): Trouble => ({ kind: "status", status: code, said, location: null });

describe("one sentence says what to change", () => {
  test.each<[Trouble, Asked, RegExp]>([
    [failure("ECONNREFUSED Failed to connect"), list, /^Nothing listens at api\.example\.org: start/],
    [failure("the name api.example.org cannot be resolved"), list, /cannot be reached: the name/],
    [failure("TLS was refused: DEPTH_ZERO_SELF_SIGNED_CERT x"), list, /self-signed .* NODE_EXTRA_CA_CERTS/],
    [failure("TLS was refused: CERT_HAS_EXPIRED x"), list, /has expired: it must be renewed/],
    [failure("TLS was refused: ERR_TLS_CERT_ALTNAME_INVALID x"), list, /is for another name/],
    [failure("closed during the handshake: x"), list, /makes no secure connection .* http:\/\//],
    [failure("no connection in 5000 ms", "connect-timeout"), list, /cannot be reached in time/],
    [failure("no HTTP/1 status line", "protocol"), list, /does not speak HTTP\/1\.1/],
    [status(401), list, /does not accept the key \(401\): give one that is valid for groq/],
    [status(401), { ...list, hasCredential: false }, /asks for a key \(401\): give one with --api-key-env/],
    [status(404), list, /no list of models at .* \(of groq it is https:\/\/api\.groq\.com/],
    [status(404, "No such model."), call, /says: No such model\): correct the name of the model/],
    [status(402), call, /top up the account there/],
    [status(429), call, /try again later/],
    [status(500), call, /fails \(500\): try again later/],
    [status(418, "a\nteapot"), call, /refuses this \(418, and says: a teapot\)/],
    [{ kind: "page" }, list, /web page and not as an API: correct the base address/],
    [{ kind: "no-answer" }, list, /not with a list of models/],
    [{ kind: "no-answer" }, call, /not in the dialect that it is said to speak/],
    [{ kind: "too-large" }, list, /--models, and add --no-check/],
    [{ kind: "empty" }, list, /lists no models/],
  ])("of %j", (trouble, asked, sentence) => {
    const said = explainTrouble(trouble, asked);
    expect(said).toMatch(sentence);
    expect(said).toMatch(/^[^\n]+\.$/);
  });
});
