import type { Between } from "./client.ts";
import { expectEqual, expectText } from "./expect.ts";
import type { Step } from "./scripted-upstream.ts";
import { type Call, type Heard, type Offer, signatureOf } from "./voice.ts";
import type { Fields } from "./wire.ts";

/** Moves of a scene, in terms of the tools that a client offers. */

const THOUGHT = "First the file has to be written.";

export function says(text: string): Step {
  return () => ({ reasoning: null, text, calls: [] });
}

/** By the client's own name for each tool. */
export type Use = { tool: string; input: Fields | string };

export function uses(...wanted: Use[]): Step {
  return heard => ({ reasoning: null, text: null, calls: wanted.map(use => callOf(heard, use)) });
}

/** As above, after a thought which the upstream wants back, and a word to the user. */
export function thinksAndUses(...wanted: Use[]): Step {
  return heard => ({ ...uses(...wanted)(heard), reasoning: THOUGHT, text: "I begin." });
}

/** The thought comes back with every later request as its maker wants it, and once. */
export function expectThought(heard: readonly Heard[], { client, upstream }: Between): void {
  const own = upstream === "chat" ? THOUGHT : signatureOf(THOUGHT);
  // A chat client has no place for what another dialect signs.
  const wanted = client === "chat" && upstream !== "chat" ? [] : [own];
  for (const { reasonings } of heard.slice(1)) expectEqual("the reasoning", { found: reasonings, wanted });
}

/** The texts of the results, in the order of the calls. */
export function expectResults(heard: readonly Heard[], wanted: readonly (string | RegExp)[]): void {
  const results = heard.at(-1)?.results ?? [];
  expectEqual("the number of results", { found: results.length, wanted: wanted.length });
  for (const [at, has] of wanted.entries())
    expectText(`the result of call ${at + 1}`, { text: results[at]?.text ?? "", has });
}

/** That one tool failed arrives as a mark where both ends have one, and in words where only the client has. */
export function expectFailure(
  heard: readonly Heard[],
  { at, client, upstream }: Between & { at: number },
): void {
  const results = heard.at(-1)?.results ?? [];
  if (client !== "messages") return;
  if (upstream !== "messages")
    expectText("the failing result", { text: results[at]?.text ?? "", has: /^Error: / });
  else
    expectEqual("the marks of failure", {
      found: results.map(({ isError }) => isError),
      wanted: results.map((_, place) => place === at),
    });
}

function callOf({ tools }: Heard, { tool: name, input }: Use): Call {
  const tool = tools.find(offer => offer.name === name) ?? tools.find(offer => isFlattened(offer, name));
  if (tool === undefined)
    throw new Error(`the request offers no tool ${name}, only ${tools.map(offer => offer.name).join(", ")}`);
  // To upstreams that know no custom tools they are offered as functions of one text.
  return { tool, input: typeof input === "string" && tool.kind === "function" ? { input } : input };
}

/** To upstreams that know no namespaces, its name stands before the tool's. */
function isFlattened(offer: Offer, name: string): boolean {
  return new RegExp(`[^a-zA-Z0-9]${name}$`).test(offer.name);
}
