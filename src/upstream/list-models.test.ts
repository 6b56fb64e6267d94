import { afterEach, describe, expect, test } from "bun:test";
import type { UpstreamKind } from "../domain/catalogue.ts";
import { hear, withoutCredential } from "./hear.ts";
import { get, limits, Rig, until } from "./http1-test-rig.ts";
import { listModels } from "./list-models.ts";

const rig = new Rig();
afterEach(() => rig.close());

const clock = { nowMs: () => performance.now() };

async function listed(body: string, kind: UpstreamKind = "openai-compatible") {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const { port } = await rig.answering(head, body);
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const list = await listModels({ outbound: rig.client(), limits, clock, kind, baseUrl, credential: "k" });
  return list === null || "trouble" in list ? list : { models: list.models, unusable: list.unusable };
}

describe("a list of models is read", () => {
  test.each([
    ["as most write it", `{"object":"list","data":[{"id":"b"},{"id":"a"}]}`],
    ["as a bare list", `[{"id":"a","type":"chat"},{"id":"b"}]`],
    ["by another name", `{"models":[{"name":"a"},{"name":"b"}]}`],
    ["with Google's prefix", `{"data":[{"id":"models/a"},{"id":"models/b"}]}`],
    [
      "with the same twice, and with what is no model",
      `{"data":[{"id":"a"},{"id":"a"},{"id":"b"},null,7,{"id":""}]}`,
    ],
  ])("%s", async (_, body) => {
    expect(await listed(body)).toEqual({ models: ["a", "b"], unusable: 0 });
  });

  test("and what no client could ask for is left out, and counted", async () => {
    const ids = ["fine", "two words", "line\nbreak", "star*", "x".repeat(201)];
    const body = JSON.stringify({ data: ids.map(id => ({ id })) });
    expect(await listed(body)).toEqual({ models: ["fine"], unusable: 4 });
  });

  test("but not where a kind has none", async () => {
    expect(await listed("{}", "azure-openai")).toBeNull();
  });

  test.each([
    ["[]", "empty"],
    [`{"data":[]}`, "empty"],
    [`{"data":{}}`, "no-answer"],
    [`"a"`, "no-answer"],
    ["", "no-answer"],
    ["<html>", "page"],
  ])("and %j is none", async (body, kind) => {
    expect(await listed(body)).toMatchObject({ trouble: { kind } });
  });

  test("and one that never ends in pages is given up", async () => {
    let pages = 0;
    const server = await rig.server(socket => {
      socket.on("data", () => {
        pages += 1;
        const body = JSON.stringify({ data: [{ id: `m${pages}` }], has_more: true, last_id: `m${pages}` });
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const asked = {
      outbound: rig.client(),
      limits,
      clock,
      kind: "anthropic",
      baseUrl,
      credential: "k",
    } as const;
    expect(await listModels(asked)).toMatchObject({ unusable: 0 });
    expect(pages).toBe(50);
  });
});

describe("an answer that is heard out", () => {
  test("has an end, whatever the upstream does", async () => {
    const server = await rig.server(socket => {
      socket.on("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        const timer = setInterval(() => socket.write("1\r\nx\r\n"), 10);
        socket.on("close", () => clearInterval(timer));
      });
    });
    const exchange = rig.client().send(get(server.port), limits);
    const answered = await hear(exchange, { limits: { bytesMax: 1_000_000, msMax: 200 }, clock });
    expect(answered).toMatchObject({ trouble: { kind: "failure", failure: "idle-timeout" } });
    expect(await until(() => server.closed === 1)).toBe(true);
  });

  test("that is too large is not kept", async () => {
    const { port } = await rig.answering(
      "HTTP/1.1 200 OK\r\ncontent-length: 50000\r\n\r\n",
      "x".repeat(50_000),
    );
    const exchange = rig.client().send(get(port), limits);
    const answered = await hear(exchange, { limits: { bytesMax: 1_000, msMax: 2_000 }, clock });
    expect(answered).toEqual({ trouble: { kind: "too-large" } });
  });
});

test("of a credential of several secrets, none is told", () => {
  const said = "AKIAIOSFODNN7EXAMPLE may not do this; wJalrXUtnFEMI is unknown";
  const told = withoutCredential(said, "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI");
  expect(told).toBe("… may not do this; … is unknown");
  expect(withoutCredential("all is well", null)).toBe("all is well");
});
