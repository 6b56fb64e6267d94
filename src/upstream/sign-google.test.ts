import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { type Answer, type Exchange, type OutboundRequest, UpstreamFailure } from "./answer.ts";
import { googleSigner, isServiceAccount } from "./sign-google.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ACCOUNT = {
  type: "service_account",
  client_email: "gate@p1.iam.gserviceaccount.com",
  private_key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  token_uri: "https://oauth2.example/token",
};
const REQUEST: OutboundRequest = {
  method: "POST",
  url: new URL("https://us-east5-aiplatform.googleapis.com/v1/x"),
  headers: { "content-type": "application/json" },
  body: null,
};

const written = (account: Record<string, unknown>) => Buffer.from(JSON.stringify(account)).toString("base64");

function answered(status: number, body: string): Exchange {
  const answer: Answer = {
    status,
    headers: new Map(),
    read: consumer => {
      consumer.onBytes(Buffer.from(body));
      consumer.onEnd();
    },
    pause: () => {},
    resume: () => {},
    abort: () => {},
  };
  return { answer: Promise.resolve(answer), abort: () => {} };
}

function rig(account: Record<string, unknown> = ACCOUNT) {
  const world = { nowMs: 1_800_000_000_000, asked: [] as URL[], answer: () => answered(200, "{}") };
  const sign = googleSigner({
    credential: written(account),
    baseUrl: "https://us-east5-aiplatform.googleapis.com/v1",
    ask: ({ url }) => {
      world.asked.push(url);
      return world.answer();
    },
    nowMs: () => world.nowMs,
  });
  if (sign === null) throw new Error("it is not taken for a service account");
  const shown = async () => (await sign(REQUEST)).headers["authorization"];
  return { world, shown };
}

const token = (value: string) => answered(200, JSON.stringify({ access_token: value, expires_in: 3_600 }));

describe("a token of a service account", () => {
  test("is asked for at the account's own address, once for all who wait, and again before it ends", async () => {
    const { world, shown } = rig();
    world.answer = () => token("first");
    expect(await Promise.all([shown(), shown(), shown()])).toEqual([
      "Bearer first",
      "Bearer first",
      "Bearer first",
    ]);
    expect(world.asked.map(String)).toEqual([ACCOUNT.token_uri]);
    world.answer = () => token("second");
    world.nowMs += 3_299_000;
    expect(await shown()).toBe("Bearer first");
    world.nowMs += 2_000;
    expect(await shown()).toBe("Bearer second");
    expect(world.asked).toHaveLength(2);
  });

  test("that was refused is asked for again by the next request", async () => {
    const { world, shown } = rig();
    world.answer = () => answered(400, '{"error":"invalid_grant","error_description":"secret words"}');
    const failure = await shown().catch(error => error);
    expect(failure).toBeInstanceOf(UpstreamFailure);
    expect(String(failure)).toContain("400");
    expect(String(failure)).not.toContain("secret words");
    world.answer = () => token("later");
    expect(await shown()).toBe("Bearer later");
  });

  test.each(["", "[]", "{}", '{"access_token":"two\\r\\nlines","expires_in":1}', '{"access_token":7}'])(
    "that is none is a failure: %s",
    async body => {
      const { world, shown } = rig();
      world.answer = () => answered(200, body);
      expect(await shown().catch(error => error)).toBeInstanceOf(UpstreamFailure);
    },
  );

  test.each<[string, Record<string, unknown>]>([
    ["a key", { ...ACCOUNT, private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" }],
    ["a name", { ...ACCOUNT, client_email: undefined }],
    ["an https address", { ...ACCOUNT, token_uri: "http://oauth2.example/token" }],
  ])("of an account without %s is not asked for", async (_, account) => {
    const { world, shown } = rig(account);
    expect(await shown().catch(error => error)).toBeInstanceOf(UpstreamFailure);
    expect(world.asked).toEqual([]);
  });
});

test("any other credential is a token by itself", () => {
  for (const credential of ["ya29.a0Af", "e30=", written({ type: "authorized_user" }), "AIzaSy"]) {
    expect(isServiceAccount(credential)).toBe(false);
  }
  expect(isServiceAccount(written(ACCOUNT))).toBe(true);
});
