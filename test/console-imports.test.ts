import { afterAll, beforeAll, expect, test } from "bun:test";
import { groupId, startKeys } from "./console-keys-rig.ts";
import type { Browser, ConsoleRig } from "./console-rig.ts";

let rig: ConsoleRig;
let plain: ConsoleRig;
let ann: Browser;
beforeAll(async () => {
  [rig, plain] = await Promise.all([startKeys(), startKeys({ WICKETGATE_SEALED_COPIES: "off" })]);
  ann = await rig.invited("ann@example.org", { balance_usd: "7.5" });
});
afterAll(() => Promise.all([rig.dispose(), plain.dispose()]));

const make = async (name: string) =>
  ann.call("POST /keys", { body: { name, group: await groupId({ operator: ann }, "all"), quota_usd: "5" } });

function keyIn(url: string): string {
  const { searchParams } = new URL(url);
  const packed = searchParams.get("data") ?? searchParams.get("config");
  if (packed === null) return searchParams.get("apiKey") ?? "";
  const read = JSON.parse(atob(packed)) as { apiKey?: string; settings?: { apiKey: string } };
  return read.apiKey ?? read.settings?.apiKey ?? "";
}

test("the string that was just made goes into every link, without proving anything again", async () => {
  const { key, string } = await make("laptop");
  rig.letProofsAge();
  const body = { string, language: "zh" } as const;
  const { links } = await ann.call("POST /keys/{id}/imports", { params: { id: key.id }, body });
  expect(links.map(({ app }) => app)).toEqual([
    ...["claude", "codex", "opencode", "openclaw", "hermes", "grokbuild"].map(app => `cc-switch-${app}`),
    ...["cherry-studio", "chatbox", "deepchat", "aionui"],
  ]);
  expect(links.map(({ url }) => keyIn(url))).toEqual(links.map(() => string));
  for (const { note } of links) expect(note).toMatch(/\p{Script=Han}/u);
  expect(rig.gateway.log()).not.toContain(string.slice(8, -4));
});

test("without the string the sealed copy is opened, for whoever proves again who they are", async () => {
  await ann.signIn("ann@example.org");
  const { key, string } = await make("sealed");
  const params = { id: key.id };
  rig.letProofsAge();
  const aged = await ann.refused("POST /keys/{id}/imports", { params, body: {} });
  expect(aged).toMatchObject({ status: 403, error: { code: "recent_sign_in_needed" } });
  await ann.signIn("ann@example.org");
  const { links } = await ann.call("POST /keys/{id}/imports", { params, body: {} });
  expect(links.map(({ url }) => keyIn(url))).toEqual(links.map(() => string));
  const rotated = await ann.call("POST /keys/{id}/rotate", { params, body: { grace_seconds: 60 } });
  const after = await ann.call("POST /keys/{id}/imports", { params, body: {} });
  expect(keyIn(after.links[0]?.url ?? "")).toBe(rotated.string);
});

test("a string of another key, or one from before, is refused at its field", async () => {
  const [one, other] = [await make("one"), await make("other")];
  const params = { id: one.key.id };
  await ann.call("POST /keys/{id}/rotate", { params, body: { grace_seconds: 60 } });
  for (const string of [other.string, one.string, "nonsense"]) {
    const { status, error } = await ann.refused("POST /keys/{id}/imports", { params, body: { string } });
    expect({ status, path: error.fields?.[0]?.path }).toEqual({ status: 400, path: "string" });
    expect(JSON.stringify(error)).not.toContain(string);
  }
});

test("a model that the group does not have, and a key that is deleted, are told as such", async () => {
  const { key, string } = await make("strict");
  const params = { id: key.id };
  const strange = await ann.refused("POST /keys/{id}/imports", { params, body: { string, model: "nope" } });
  expect(strange.error.fields?.[0]?.path).toBe("model");
  await ann.call("DELETE /keys/{id}", { params });
  const gone = await ann.refused("POST /keys/{id}/imports", { params, body: { string } });
  expect(gone).toMatchObject({ status: 409, error: { code: "conflict" } });
});

test("where no copies are kept, that is said and what to do instead", async () => {
  const group = await groupId(plain, "all");
  const { key, string } = await plain.operator.call("POST /keys", { body: { name: "k", group } });
  expect(key.can_import).toBe(false);
  const params = { id: key.id };
  const none = await plain.operator.refused("POST /keys/{id}/imports", { params, body: {} });
  expect(none).toMatchObject({ status: 409, error: { code: "conflict" } });
  expect(none.error.message).toContain("Rotate");
  const { links } = await plain.operator.call("POST /keys/{id}/imports", { params, body: { string } });
  expect(keyIn(links[0]?.url ?? "")).toBe(string);
});

test("the usage script of every app gets what is left from the running server", async () => {
  const { key, string } = await make("measured");
  const body = { string };
  const { links } = await ann.call("POST /keys/{id}/imports", { params: { id: key.id }, body });
  for (const { url, app } of links.filter(link => link.app.startsWith("cc-switch"))) {
    const { searchParams } = new URL(url);
    // As CC Switch does: the override where there is one, else the endpoint; then the places are filled in.
    const base = searchParams.get("usageBaseUrl") ?? searchParams.get("endpoint") ?? "";
    const code = atob(searchParams.get("usageScript") ?? "")
      .replaceAll("{{apiKey}}", searchParams.get("apiKey") ?? "")
      .replaceAll("{{baseUrl}}", base);
    const script = new Function(`return ${code}`)() as {
      request: { url: string; method: string; headers: Record<string, string> };
      extractor: (answer: unknown) => unknown;
    };
    const answer = await fetch(script.request.url, script.request);
    expect([app, answer.status]).toEqual([app, 200]);
    expect(script.extractor(await answer.json())).toEqual({
      ...{ isValid: true, remaining: 5, used: 0, unit: "USD", planName: "all" },
    });
  }
});
