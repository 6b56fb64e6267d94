import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ABSENCES, CHECKS, type Pair, WEATHER } from "./dialects-checks.ts";
import { checkErrors, checkRow, checkUsage, type Metered, type MeteredRow } from "./dialects-checks-money.ts";
import { type Dialects, startDialects } from "./dialects-gateway.ts";
import { CELLS, exceptionOf, type Feature, markdown, NOT_CARRIED } from "./dialects-table.ts";
import { DIALECTS } from "./dialects-talk.ts";
import { eventually, ROOT, usageRows } from "./harness.ts";

/**
 * Every client dialect to every upstream dialect, with the makers' own SDKs through a real gateway. The table in
 * docs/api.md is written from the same list: WRITE_DIALECTS=1 writes it anew.
 */

let rig: Dialects;
beforeAll(async () => {
  rig = await startDialects();
});
afterAll(() => rig.stop());

const metered: Metered[] = [];

async function check(feature: Feature, pair: Pair): Promise<void> {
  if (feature === "errors") await checkErrors(pair);
  else if (feature === "usage") metered.push(...(await checkUsage(pair)));
  else await CHECKS[feature](pair);
}

describe("between dialects:", () => {
  for (const cell of CELLS) {
    const { feature, client, upstream } = cell;
    const name = `${feature}: a ${client} client, a ${upstream} upstream`;
    if (exceptionOf(NOT_CARRIED, cell) === undefined) {
      test(name, () => check(feature, { rig, client, upstream }));
      continue;
    }
    test(`${name}: not carried, and nothing breaks over it`, async () => {
      const absence = ABSENCES[feature];
      if (absence === undefined) throw new Error("there is no check that it is not carried");
      await absence({ rig, client, upstream });
    });
  }
});

test("[P31] each row has the tokens that the client was told, and a stream costs what the whole answer costs", async () => {
  expect(metered).toHaveLength(18);
  const rows = await eventually(async () => {
    const all = (await usageRows(rig.dir, rig.keyId())) as MeteredRow[];
    return all.every(({ state }) => state !== "open") && all;
  });
  for (const one of metered) {
    const row = rows?.find(({ id }) => id === one.told.requestId);
    if (row === undefined) throw new Error(`there is no row of ${one.told.requestId}`);
    checkRow(one, row);
  }
});

describe("[P20] [P22] what one maker thought is given to no other:", () => {
  for (const client of ["responses", "messages"] as const) {
    for (const from of DIALECTS) {
      const others = DIALECTS.filter(to => to !== from);
      test(`a ${client} client goes from a ${from} upstream to others in mid conversation`, async () => {
        for (const to of others) {
          const talk = rig.talk(client);
          talk.say("get_weather please");
          const ask = { tools: [WEATHER], thinks: true };
          const first = await talk.hear({ ...ask, model: rig.model(from, "think") }, "stream");
          expect(first.thought).not.toBe("");
          talk.answer([{ id: first.calls[0]?.id ?? "", text: "Sunny" }]);
          const second = await talk.hear({ ...ask, model: rig.model(to, "think") }, "stream");
          expect(second.text).toContain("Sunny");
          const body = JSON.stringify(rig.upstream.last(rig.upstreamModel(to, "think")).body);
          expect(body).not.toContain("The user has asked");
          for (const seal of first.seals) expect(body).not.toContain(seal);
        }
      });
    }
  }
});

test("the table in docs/api.md says what these tests have found", async () => {
  const path = join(ROOT, "docs", "api.md");
  const page = await Bun.file(path).text();
  const [begin, end] = ["<!-- matrix -->\n", "\n<!-- /matrix -->"];
  const [before, rest = ""] = page.split(begin);
  const [found, after] = rest.split(end);
  const wanted = `\n${markdown()}\n`;
  if (process.env["WRITE_DIALECTS"] === "1") {
    expect(after).toBeDefined();
    await Bun.write(path, `${before}${begin}${wanted}${end}${after}`);
  } else expect(found).toBe(wanted);
});
