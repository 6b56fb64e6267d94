import { afterAll, beforeAll, expect, test } from "bun:test";
import { MODELS, type Pair, startPair, wellAs } from "./failover-rig.ts";
import { eventually } from "./harness.ts";
import type { Script } from "./harness-upstream.ts";

/** A stream that was opened and has said nothing is as good as one that was not. */

let rig: Pair;
beforeAll(async () => {
  rig = await startPair({});
});
afterAll(() => rig.stop());

const SILENT: readonly (readonly [string, Script])[] = [
  [
    "is cut",
    async exchange => {
      await exchange.begin();
      exchange.cut();
    },
  ],
  ["ends", exchange => exchange.stream([])],
  ["begins with an error", exchange => exchange.stream(['data: {"error":{"message":"overloaded"}}\n\n'])],
  ["is no stream of events", exchange => exchange.stream(["<html>Bad gateway</html>\n\n"])],
];

for (const [at, [what, script]] of SILENT.entries()) {
  test(`a stream that ${what} before its first event is answered by another upstream`, async () => {
    const model = MODELS[at + 1] ?? "";
    rig.first.script(script);
    rig.second.script(wellAs("second"));
    const { status, text, requestId } = await rig.ask(model, { stream: true });
    expect(status).toBe(200);
    expect(text).toContain("This is second.");
    expect(text).toEndWith("data: [DONE]\n\n");
    expect(text).not.toContain('"error"');
    const row = await eventually(async () =>
      (await rig.rows()).find(({ id, state }) => id === requestId && state === "settled"),
    );
    expect(row).toMatchObject({ upstream: "second", reason: null });
    expect(row?.attempts).toMatchObject([{ upstream: "first" }]);
  });
}
