import { describe, expect, test } from "bun:test";
import { idMaker } from "../../domain/ids.ts";
import { houseSettings } from "../../domain/settings-house.ts";
import { StoreFailure, StoreProblem } from "../../store/store.ts";
import { endpoints } from "../contract/contract.ts";
import { passwordKeeper } from "../sign-in/password.ts";
import { consoleApi } from "./app.ts";
import { handlers } from "./handlers.ts";
import type { Desk } from "./visit.ts";

const randomBytes = (count: number) => new Uint8Array(count);
const never = async () => {
  throw new Error("nobody asks for this");
};

/** A house whose database answers every question in one way. */
function houseWith(answer: () => Promise<never>) {
  const logged: string[] = [];
  const nowMs = () => 1_800_000_000_000;
  const desk: Desk = {
    nowMs,
    store: { run: answer, report: answer } as unknown as Desk["store"],
    newId: idMaker({ nowMs, randomBytes }),
    randomBytes,
    secrets: {} as Desk["secrets"],
    settings: () => houseSettings({ fixed: {}, stored: {} }).settings,
    fixedSettings: {},
    refresh: never,
    version: "0",
    log: (level, event, fields) => logged.push(JSON.stringify({ level, event, ...fields })),
    catalogue: () => {
      throw new Error("nobody asks for this");
    },
    publicUrl: request => new URL(request.url).origin,
    clientAddress: () => "192.0.2.7",
    passwords: passwordKeeper(randomBytes),
    checkKey: never,
    dispatch: never,
    network: {} as Desk["network"],
    mail: {} as Desk["mail"],
    webhooks: {} as Desk["webhooks"],
    runningAt: () => 0,
  };
  const api = consoleApi(desk);
  const ask = (path: string) =>
    api(
      new Request(`http://127.0.0.1/console/api${path}`, {
        headers: { cookie: `__Host-wicketgate=${"t".repeat(43)}` },
      }),
    );
  return { ask, logged };
}

test("every endpoint of the contract has a handler, and there is no other", () => {
  expect(Object.keys(handlers).sort()).toEqual(Object.keys(endpoints).sort());
});

describe("what a call ends in when something breaks", () => {
  test("a database that is away is a 503 that may be tried again, whoever calls", async () => {
    const { ask, logged } = houseWith(async () => {
      throw new StoreFailure("PostgreSQL: no connection to db.internal");
    });
    for (const path of ["/house", "/session", "/operator/accounts"]) {
      const answer = await ask(path);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("5");
      const text = await answer.text();
      expect(JSON.parse(text)).toMatchObject({ error: { code: "unavailable", retry_after_seconds: 5 } });
      expect(text).not.toContain("db.internal");
    }
    expect(logged[0]).toContain("console.unavailable");
  });

  test("what nobody expected is a 500 without a word of it, and a line of the log with the request's id", async () => {
    const { ask, logged } = houseWith(async () => {
      throw new TypeError("row is undefined at secret place");
    });
    const answer = await ask("/house");
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).not.toContain("secret place");
    const { error } = JSON.parse(text) as { error: { code: string; request_id: string } };
    expect(error.code).toBe("failed");
    expect(answer.headers.get("x-request-id")).toBe(error.request_id);
    expect(logged.join()).toContain(error.request_id);
    expect(logged.join()).toContain("row is undefined");
    expect(logged.join()).not.toContain("tttt");
  });

  test("a rule that says no is a 409 with its sentence, at its field", async () => {
    const { ask, logged } = houseWith(async () => {
      throw new StoreProblem("There is one already.", { field: "name" });
    });
    const answer = await ask("/house");
    expect(answer.status).toBe(409);
    const message = "There is one already.";
    const told = { code: "conflict", message, fields: [{ path: "name", message }] };
    expect(await answer.json()).toMatchObject({ error: told });
    expect(logged).toEqual([]);
  });
});
