import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  type AttemptedRow,
  askedFor,
  logLines,
  MODELS,
  type Pair,
  saveRetries,
  startPair,
  wellAs,
} from "./failover-rig.ts";
import { eventually, settledRow } from "./harness.ts";
import { askChat, chatBody, errorOf, openStream, streamError } from "./harness-client.ts";
import { form } from "./harness-upload.ts";
import { chatCompletion, chatEvent, type Script, type UpstreamExchange } from "./harness-upstream.ts";

/** Which failures of an upstream are another's to make good, and which are not. */

let rig: Pair;
let models = 0;
const SAVING = MODELS[0] ?? "";
const newModel = () => MODELS[++models] ?? "";
beforeAll(async () => {
  rig = await startPair({
    WICKETGATE_FIRST_BYTE_SECONDS: "1",
    WICKETGATE_FIRST_BYTE_STREAM_SECONDS: "1",
  });
});
afterAll(() => rig.stop());
beforeEach(async () => {
  rig.first.script(wellAs("first"));
  rig.second.script(wellAs("second"));
  await saveRetries(rig, SAVING);
});

const status = (code: number, headers: Record<string, string> = {}): Script => {
  const body = JSON.stringify({ error: { message: "the key credential-of-first has no quota" } });
  return exchange => exchange.reply(code, body, headers);
};

/** Only for these models; the others are answered. */
const onlyFor = (models: readonly string[], script: Script): Script => {
  const well = wellAs("first");
  return exchange => (models.includes(String(exchange.body["model"])) ? script(exchange) : well(exchange));
};

async function rowsOf(ids: readonly string[]): Promise<AttemptedRow[]> {
  const found = await eventually(async () => {
    const rows = (await rig.rows()).filter(({ id, state }) => ids.includes(id) && state !== "open");
    return rows.length === ids.length && rows;
  });
  if (found === null) throw new Error(`${ids.join(", ")} have no rows`);
  return found;
}

const rowOf = async (id: string) => (await rowsOf([id]))[0];

const REPEATED: readonly (readonly [string, Script, string])[] = [
  ["status 408", status(408), "status 408"],
  ["status 429", status(429), "status 429"],
  ["status 500", status(500), "status 500"],
  ["status 503", status(503), "status 503"],
  ["status 529", status(529), "status 529"],
  ["a closed connection", exchange => exchange.cut(), "closed"],
  ["a reset connection", exchange => exchange.reset(), ""],
  ["silence", () => {}, "no answer in 1000 ms"],
  ["what is no HTTP", exchange => garbage(exchange), "protocol"],
  ["a page instead of an answer", page, "what it sent is no answer"],
];

function page(exchange: UpstreamExchange) {
  return exchange.reply(200, "<html>Sign in</html>", { "content-type": "text/html" });
}

async function garbage(exchange: UpstreamExchange): Promise<void> {
  await exchange.write("credential-of-first \u0000\u0001\u0002\r\n\r\n");
  exchange.cut();
}

describe("the other upstream answers for one that fails with", () => {
  for (const [name, script, why] of REPEATED) {
    test(name, async () => {
      const [model, streamed] = [newModel(), newModel()];
      rig.first.script(onlyFor([model, streamed], script));
      const seen = await Promise.all([rig.ask(model), rig.ask(streamed, { stream: true })]);
      for (const { status, text, headers } of seen) {
        expect(status).toBe(200);
        expect(text).toContain("This is second.");
        for (const hidden of ["first.", "credential", "<html>"]) {
          expect(text + JSON.stringify([...headers])).not.toContain(hidden);
        }
      }
      const rows = await rowsOf(seen.map(({ requestId }) => requestId));
      for (const row of rows) {
        expect(row).toMatchObject({
          ...{ state: "settled", status: 200, reason: null, upstream: "second", source: "reported" },
          ...{ input_tokens: 11, output_tokens: 7, cost: "0.000081" },
        });
        expect(row.attempts).toEqual([
          {
            ...{ upstream: "first", why: expect.stringContaining(why), ms: expect.any(Number) },
            credential: expect.stringMatching(/^[0-9a-z]{8}$/),
          },
        ]);
      }
    });
  }

  test("half of an answer in one piece, of which the client has seen nothing", async () => {
    const model = newModel();
    rig.first.script(async exchange => {
      const whole = chatCompletion("This is first.", undefined);
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${whole.length}\r\n\r\n`;
      await exchange.write(head + whole.slice(0, 60));
      exchange.cut();
    });
    const { status, text } = await rig.ask(model);
    expect([status, text.includes("This is second.")]).toEqual([200, true]);
  });
});

describe("nobody else is asked", () => {
  for (const code of [400, 422, 404, 413]) {
    test(`where the answer is ${code}`, async () => {
      const model = newModel();
      rig.first.script(exchange => exchange.reply(code, '{"error":{"message":"no such field"}}'));
      const seen = await Promise.all([rig.ask(model), rig.ask(model, { stream: true })]);
      for (const { status } of seen) expect(status).toBe(code === 400 || code === 422 ? code : 502);
      expect([askedFor(rig.first, model), askedFor(rig.second, model)]).toEqual([2, 0]);
      expect(await rowOf(seen[0].requestId)).toMatchObject({
        ...{ state: "voided", upstream: "first", cost: "0.00", attempts: [] },
      });
    });
  }

  test("once the client has had a byte", async () => {
    const model = newModel();
    rig.first.script(async exchange => {
      await exchange.begin();
      await exchange.piece(chatEvent({ content: "This is" }));
      // On its way before the connection goes.
      await Bun.sleep(50);
      exchange.cut();
    });
    const { text, requestId } = await rig.ask(model, { stream: true });
    expect(text).toContain("This is");
    expect(streamError(text)?.reason).toBe("upstream_failed");
    expect([askedFor(rig.first, model), askedFor(rig.second, model)]).toEqual([1, 0]);
    expect(await rowOf(requestId)).toMatchObject({
      ...{ state: "settled", reason: "upstream_failed", upstream: "first", attempts: [] },
    });
  });

  for (const stream of [true, false]) {
    test(`once the client has left${stream ? ", which asked for a stream" : ""}`, async () => {
      const model = newModel();
      let hanging: UpstreamExchange | null = null;
      rig.first.script(exchange => {
        hanging = exchange;
      });
      const control = new AbortController();
      const body = chatBody(model, { stream });
      const asked = askChat(rig.gateway.base, { key: rig.key, body, signal: control.signal });
      await eventually(() => hanging !== null);
      control.abort();
      await asked.catch(() => {});
      const row = await eventually(
        async () => (await rig.rows()).find(one => one.model === model && one.state !== "open") ?? null,
      );
      expect(row).toMatchObject({ reason: "client_left", upstream: "first", attempts: [] });
      // Longer than the first byte may take.
      await Bun.sleep(1_200);
      expect([askedFor(rig.first, model), askedFor(rig.second, model)]).toEqual([1, 0]);
    });
  }

  test("for an upload, which went on while it came", async () => {
    const model = newModel();
    rig.first.script(exchange => exchange.reply(500, "{}"));
    const body = form(
      { name: "model", value: model },
      { name: "file", value: Buffer.alloc(2_000), file: "a.wav" },
    );
    const type = `multipart/form-data; boundary=${body.toString("latin1").slice(2, body.indexOf("\r\n"))}`;
    const response = await fetch(`${rig.gateway.base}/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${rig.key}`, "content-type": type },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(10_000),
    });
    expect(response.status).toBe(502);
    expect(errorOf(await response.text())?.reason).toBe("upstream_failed");
    const asked = (received: readonly { body: Buffer }[]) =>
      received.filter(one => one.body.includes(`\r\n${model}\r\n`)).length;
    expect([asked(rig.first.received), asked(rig.second.received)]).toEqual([1, 0]);
  });
});

describe("a refused credential", () => {
  // What a 401 does to an upstream's other models is in credentials.test.ts.
  for (const code of [403]) {
    test(`(${code}) takes the upstream out for this model, and one line tells the operator`, async () => {
      const model = newModel();
      const before = logLines(rig.gateway, "upstream.credential_refused").length;
      rig.first.script(onlyFor([model], status(code)));
      for (let at = 0; at < 5; at++) {
        const { status, text } = await rig.ask(model, { stream: at % 2 === 0 });
        expect([status, text.includes("This is second.")]).toEqual([200, true]);
      }
      expect([askedFor(rig.first, model), askedFor(rig.second, model)]).toEqual([1, 5]);
      const lines = await eventually(() => {
        const found = logLines(rig.gateway, "upstream.credential_refused").slice(before);
        return found.length > 0 && found;
      });
      expect(lines).toEqual([
        expect.objectContaining({ level: "error", upstream: "first", why: `status ${code}` }),
      ]);
      expect(rig.gateway.log()).not.toContain("credential-of-first");
    });
  }
});

describe("an upstream that asks to be left alone", () => {
  test("is, for so long and for that model, and is asked again afterwards", async () => {
    const [model, other] = [newModel(), newModel()];
    rig.first.script(onlyFor([model], status(429, { "retry-after": "1" })));
    const beganTick = performance.now();
    for (let at = 0; at < 4; at++) expect((await rig.ask(model)).text).toContain("This is second.");
    expect([askedFor(rig.first, model), askedFor(rig.second, model)]).toEqual([1, 4]);
    expect((await rig.ask(other)).text).toContain("This is first.");
    rig.first.script(wellAs("first"));
    const text = await eventually(async () => {
      const seen = await rig.ask(model);
      return seen.text.includes("This is first.") && seen.text;
    }, 3_000);
    expect(text).not.toBeNull();
    expect(performance.now() - beganTick).toBeGreaterThan(950);
    expect(askedFor(rig.first, model)).toBe(2);
  });

  test("is asked all the same where there is no other: it may be well again", async () => {
    rig.first.script(status(429, { "retry-after": "30" }));
    for (let at = 0; at < 4; at++) {
      const { status, headers, error } = await rig.ask("only", { stream: at % 2 === 0 });
      expect([status, error?.reason]).toEqual([503, "upstream_overloaded"]);
      expect(headers.get("retry-after")).toBe("30");
    }
    rig.first.script(wellAs("first"));
    expect((await rig.ask("only")).text).toContain("This is first.");
  });
});

test("a stream of another upstream is a stream like any other: as it comes, and left when the client leaves", async () => {
  const model = newModel();
  rig.first.script(status(500));
  rig.second.script(async exchange => {
    await exchange.begin();
    while (exchange.isOpen) {
      await exchange.piece(chatEvent({ content: "a few words more " }));
      await Bun.sleep(20);
    }
  });
  const seen = await openStream(rig.gateway.base, { key: rig.key, body: chatBody(model, { stream: true }) });
  await seen.bytes(300);
  seen.leave();
  const aborted = await eventually(() => rig.second.exchanges.at(-1)?.isOpen === false, 5_000);
  expect(aborted).toBe(true);
  const row = await settledRow(rig.dir, seen.requestId);
  expect(row).toMatchObject({ state: "settled", reason: "client_left", upstream: "second" });
});
