import { expect, test } from "bun:test";
import { MODELS, saveRetries, startPair, wellAs } from "./failover-rig.ts";
import { chatBody, openStream } from "./harness-client.ts";
import { chatEvent, DONE } from "./harness-upstream.ts";

test("a long stream that tries an upstream out lets the others back at its first good bytes", async () => {
  const rig = await startPair();
  try {
    const model = MODELS[1] ?? "";
    await saveRetries(rig, MODELS[0] ?? "");
    rig.first.script(exchange => exchange.reply(500, "{}"));
    for (let at = 0; at < 5; at++) expect((await rig.ask(model)).text).toContain("This is second.");
    await Bun.sleep(1_050);
    const goOn = Promise.withResolvers<void>();
    const well = wellAs("first");
    rig.first.script(async exchange => {
      if (exchange.body["stream"] !== true) return well(exchange);
      await exchange.begin();
      await exchange.piece(chatEvent({ content: "This is first" }));
      await goOn.promise;
      await exchange.piece(chatEvent({ content: ", at last.", finish: "stop" }) + DONE);
      await exchange.end();
    });
    const stream = await openStream(rig.gateway.base, {
      key: rig.key,
      body: chatBody(model, { stream: true }),
    });
    await stream.bytes(20);
    // The stream is still running, and has been for a while.
    for (let at = 0; at < 3; at++) expect((await rig.ask(model)).text).toContain("This is first.");
    goOn.resolve();
    expect([await stream.ended, stream.text().includes("at last.")]).toEqual([true, true]);
  } finally {
    await rig.stop();
  }
});
