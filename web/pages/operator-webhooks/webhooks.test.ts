import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventName } from "./event-words.ts";
import { sentenceIn } from "./sentences.ts";
import { VERIFY_CODE } from "./verify-code.ts";
import { prettyBody, problemText } from "./webhook.ts";

type IsOurs = (headers: Record<string, string>, body: string, secret: string) => boolean;

async function shownCode(): Promise<IsOurs> {
  const dir = mkdtempSync(join(tmpdir(), "wicketgate-verify-"));
  const file = join(dir, "verify.mjs");
  writeFileSync(file, VERIFY_CODE);
  const { isOurs } = (await import(file)) as { isOurs: IsOurs };
  rmSync(dir, { recursive: true });
  return isOurs;
}

describe("the code that is shown to verify a message", () => {
  const key = Buffer.from("a key of twenty-four byt");
  const secret = `whsec_${key.toString("base64")}`;
  const body = `{"type":"key.created"}`;
  const signed = (timestamp: string) => ({
    "webhook-id": "dlv_1",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${createHmac("sha256", key).update(`dlv_1.${timestamp}.${body}`).digest("base64")}`,
  });
  const seconds = () => String(Math.floor(Date.now() / 1000));

  test("takes what was signed with the secret, and nothing else", async () => {
    const isOurs = await shownCode();
    const headers = signed(seconds());
    expect(isOurs(headers, body, secret)).toBe(true);
    expect(isOurs(headers, `${body} `, secret)).toBe(false);
    expect(isOurs({ ...headers, "webhook-id": "dlv_2" }, body, secret)).toBe(false);
    expect(isOurs(headers, body, `whsec_${Buffer.from("another").toString("base64")}`)).toBe(false);
    expect(isOurs({ ...headers, "webhook-signature": "v1,AAAA" }, body, secret)).toBe(false);
    const { "webhook-signature": _, ...unsigned } = headers;
    expect(isOurs(unsigned, body, secret)).toBe(false);
  });

  test("is the same in the document", () => {
    const document = readFileSync(join(import.meta.dir, "..", "..", "..", "docs", "console.md"), "utf8");
    expect(document).toContain(`\`\`\`js\n${VERIFY_CODE}\`\`\`\n`);
  });

  test("takes one of several signatures, and nothing that is old", async () => {
    const isOurs = await shownCode();
    const headers = signed(seconds());
    const both = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` };
    expect(isOurs(both, body, secret)).toBe(true);
    expect(isOurs(signed(String(Number(seconds()) - 400)), body, secret)).toBe(false);
  });
});

test("a body is laid out to be read, and shown as it is where it is no JSON", () => {
  expect(prettyBody(`{"a":1}`)).toBe(`{\n  "a": 1\n}`);
  expect(prettyBody("<b>x")).toBe("<b>x");
});

test("a failure is told by the server's sentence, else by its status", () => {
  expect(problemText({ problem: "It did not answer.", status: null })).toBe("It did not answer.");
  expect(problemText({ problem: null, status: 500 })).toBe("500");
});

test("an event that this page does not know is called by its name", () => {
  expect(eventName(key => key, "moon.rose")).toBe("moon.rose");
  expect(eventName(() => "A test", "webhook.test")).toBe("A test");
  expect(eventName(() => "A key was made", "key.created")).toBe("A key was made");
});

test.each([
  ["A webhook needs a name.", "名称"],
  [
    "The address must begin with https://, so that nobody on the way can read or change what is sent.",
    "https://",
  ],
  ["The receiver fails (500, and says: oh no): look at its log.", "500, and says: oh no"],
  ["Nothing listens at 127.0.0.1:1: start the receiver there, or correct the address.", "127.0.0.1:1"],
  ["example.org does not answer within ten seconds: let it answer first and work afterwards.", "example.org"],
])("“%s” is said in Chinese with its particulars", (english, kept) => {
  const chinese = sentenceIn(english, "zh");
  expect(chinese).not.toBe(english);
  expect(chinese).toContain(kept);
  expect(sentenceIn(english, "en")).toBe(english);
});
