import { expect, test } from "bun:test";

/** The list in docs/dialects.md, held to the tests: each line has one whose name begins with its number. */

const root = new URL("..", import.meta.url).pathname;

async function listed(): Promise<number[]> {
  const page = await Bun.file(`${root}docs/dialects.md`).text();
  const list = page.slice(page.indexOf("## What goes wrong between dialects"));
  return [...list.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
}

/** How many tests name each line; only what stands at the beginning of a test's name counts. */
async function tested(): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const folder of ["src", "test"]) {
    for await (const file of new Bun.Glob("**/*.{test,case}.ts").scan(`${root}${folder}`)) {
      const text = await Bun.file(`${root}${folder}/${file}`).text();
      for (const [, numbers = ""] of text.matchAll(/["'`]((?:\[P\d+\] ?)+)/g)) {
        for (const [, number] of numbers.matchAll(/\[P(\d+)\]/g)) {
          counts.set(Number(number), (counts.get(Number(number)) ?? 0) + 1);
        }
      }
    }
  }
  return counts;
}

test("every fault of the list has a test that names it, and every such name is on the list", async () => {
  const [list, counts] = [await listed(), await tested()];
  expect(list).toEqual(Array.from({ length: 64 }, (_, place) => place + 1));
  expect(list.filter(number => !counts.has(number))).toEqual([]);
  expect([...counts.keys()].filter(number => !list.includes(number))).toEqual([]);
});
