import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Failover, startFailover, wellAs } from "./failover-rig.ts";
import { chat } from "./harness-client.ts";
import { makeKey } from "./harness-rig.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";

/** What an upstream keeps of a prompt is worth money, so turns of one conversation go to the same. */

let rig: Failover;
let upstreams: MockUpstream[];
const NAMES = ["left", "right"];
beforeAll(async () => {
  upstreams = await Promise.all(NAMES.map(name => mockUpstream(wellAs(name))));
  const places = upstreams.map(({ baseUrl }, at) => ({ name: NAMES[at] ?? "", baseUrl }));
  rig = await startFailover({ places, models: ["mock"] });
});
afterAll(() => rig.stop().finally(() => Promise.all(upstreams.map(upstream => upstream.close()))));

type Message = { role: string; content: string };

async function answeredBy(key: string, messages: readonly Message[]): Promise<string> {
  const { status, text } = await chat(rig.gateway.base, { key, body: { model: "mock", messages } });
  expect(status).toBe(200);
  return /This is (\w+)\./.exec(text)?.[1] ?? "nobody";
}

const talk = (about: string): Message[] => [
  { role: "system", content: `You help with ${about}. ${"Be kind. ".repeat(200)}` },
];

/** Each turn is longer than the one before. */
async function turns(key: string, about: string): Promise<string[]> {
  const messages = talk(about);
  const names: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    messages.push({ role: "user", content: `Question ${turn}` });
    names.push(await answeredBy(key, messages));
    messages.push({ role: "assistant", content: `Answer ${turn}` });
  }
  return names;
}

describe("a conversation", () => {
  test("stays with its upstream, turn after turn, and different ones are shared", async () => {
    const topics = Array.from({ length: 16 }, (_, at) => `topic ${at}`);
    const seen = await Promise.all(topics.map(about => turns(rig.key, about)));
    for (const names of seen) expect(new Set(names).size).toBe(1);
    expect(new Set(seen.flat())).toEqual(new Set(NAMES));
  });

  test("that begins as everybody's does is shared by key", async () => {
    const made = Array.from({ length: 6 }, (_, at) => makeKey(rig.dir, ["--name", `tool ${at}`]));
    const keys = await Promise.all(made);
    const takers = await Promise.all(
      ["one", "two", "three", "four"].map(async tool => {
        const names = await Promise.all(keys.map(({ key }) => answeredBy(key, talk(tool))));
        return new Set(names).size;
      }),
    );
    expect(Math.max(...takers)).toBe(2);
  });
});

test("what is short goes anywhere", async () => {
  const names = await Promise.all(
    Array.from({ length: 40 }, () => answeredBy(rig.key, [{ role: "user", content: "Hello" }])),
  );
  expect(new Set(names)).toEqual(new Set(NAMES));
});
