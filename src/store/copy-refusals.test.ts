import { beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import {
  copyOf,
  freshPath,
  freshSqlite,
  furnish,
  inside,
  problemOf,
  restoreTo,
} from "./copy-database.case.ts";
import { writeCopyFile } from "./copy-file.ts";
import { CopyReader, footerLine } from "./copy-format.ts";
import { SCHEMA_NEWEST } from "./copy-schema.ts";

/** Files that are not what was written. None of them may make so much as an empty database. */

let whole: Uint8Array;
beforeAll(async () => {
  const place = freshSqlite();
  await inside(place, tx => furnish(tx, 3));
  whole = await Bun.file(await copyOf(place)).bytes();
});

async function refusal(bytes: Uint8Array): Promise<string> {
  const path = freshPath(".copy");
  writeFileSync(path, bytes);
  const to = freshSqlite();
  const problem = await problemOf(restoreTo(to, path, true));
  if (problem !== "none" && to.kind === "sqlite") expect(existsSync(to.file)).toBe(false);
  return problem;
}

const spliced = (at: number, removed: number, ...added: number[]) =>
  new Uint8Array([...whole.subarray(0, at), ...added, ...whole.subarray(at + removed)]);

const ALTERED = /altered|not a Wicketgate copy|cut off|do not belong/;

describe("a byte", () => {
  test("that is another anywhere", async () => {
    expect(await refusal(whole)).toBe("none");
    const change = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, mask]) => {
        expect(await refusal(spliced(at, 1, (whole[at] ?? 0) ^ mask))).toMatch(ALTERED);
      }),
      { numRuns: 400 },
    );
  }, 60_000);

  test("that is missing or more anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, byte) => {
        expect(await refusal(spliced(at, 1))).toMatch(ALTERED);
        expect(await refusal(spliced(at, 0, byte))).toMatch(ALTERED);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  test("that is another in any single bit of the ends, where the frames are", async () => {
    const places = [...Array(40).keys()].flatMap(at => [at, whole.length - 1 - at]);
    for (const at of places)
      for (let bit = 0; bit < 8; bit++) {
        expect(await refusal(spliced(at, 1, (whole[at] ?? 0) ^ (1 << bit)))).toMatch(ALTERED);
      }
  }, 60_000);
});

describe("a file", () => {
  test("that is cut, at many lengths", async () => {
    const lengths = [...Array(80).keys()].map(at => Math.floor((at * whole.length) / 80));
    for (const length of [...lengths, whole.length - 1, whole.length - 33, whole.length - 57]) {
      expect(await refusal(whole.subarray(0, length))).toContain("cut off");
    }
  }, 60_000);

  test("that something follows", async () => {
    expect(await refusal(new Uint8Array([...whole, 10]))).toBe(
      "This copy is followed by 1 bytes that do not belong to it.",
    );
    expect(await refusal(new Uint8Array([...whole, ...new Uint8Array(600_000)]))).toContain(
      "followed by 600000",
    );
    expect(await refusal(new Uint8Array([...whole, ...whole]))).toMatch(ALTERED);
  });

  test("that is something else", async () => {
    const others = ["SQLite format 3\0", "hello", '{"format":"wicketgate copy"}\n', "\u001f\u008b\u0008\0"];
    for (const other of others)
      expect(await refusal(Buffer.from(other))).toBe("This file is not a Wicketgate copy.");
    expect(await refusal(zstdCompressSync("hello"))).toBe("This file is not a Wicketgate copy.");
  });
});

/** The text of the good copy, with a right seal around it after somebody has worked on it. */
async function forged(change: (lines: string[]) => string[], footer = true): Promise<string> {
  const text = zstdDecompressSync(whole.subarray(24, whole.length - 56)).toString();
  const lines = change(text.trimEnd().split("\n").slice(0, -1)).map(line => `${line}\n`);
  const end = text.trimEnd().split("\n").at(-1) ?? "";
  const counts = (JSON.parse(end) as { rows: Record<string, number> }).rows;
  const sha256 = new Bun.CryptoHasher("sha256").update(lines.join("")).digest("hex");
  const path = freshPath(".copy");
  const pieces = [...lines, ...(footer ? [footerLine(counts, sha256)] : [])].map(line => Buffer.from(line));
  await writeCopyFile(
    path,
    (async function* () {
      yield* pieces;
    })(),
  );
  return refusal(await Bun.file(path).bytes());
}

const header = (more: object) => (lines: string[]) => [
  JSON.stringify({ ...JSON.parse(lines[0] ?? ""), ...more }),
  ...lines.slice(1),
];
const replace = (from: string, to: string) => (lines: string[]) => lines.map(line => line.replace(from, to));

describe("a file with a right seal", () => {
  test("that was not changed is loaded", async () => {
    expect(await forged(lines => lines)).toBe("none");
  });

  test("that is newer or older", async () => {
    expect(await forged(header({ version: 2 }))).toContain("newer Wicketgate (0.0.0-test), in copy format 2");
    expect(await forged(header({ schema: SCHEMA_NEWEST + 1 }))).toMatch(/newer Wicketgate .* update first/);
    expect(await forged(header({ format: "other" }))).toBe("This file is not a Wicketgate copy.");
    expect(await forged(header({ schema: 0 }))).toBe("This file is not a Wicketgate copy.");
  });

  test("that has other tables, columns, values or no end", async () => {
    const cases: readonly (readonly [(lines: string[]) => string[], string])[] = [
      [replace('{"table":"accounts"', '{"table":"strangers"'), "not the table and columns"],
      [replace('["email","text"]', '["e_mail","text"]'), "not the table and columns"],
      [lines => lines.filter(line => !line.includes('"table":"codes"')), "has other columns"],
      [lines => lines.slice(0, -4), "tables are missing"],
      [lines => lines.slice(0, -1), "footer does not fit"],
      [lines => [...lines.slice(0, 1), "[]", ...lines.slice(1)], "before its table"],
      [replace('["1","', '[1,"'), "revision.one is not int"],
      [replace('["1","', '["1.5","'), "revision.one is not int"],
      [replace('["1","4611686018427387904"', '["1","9223372036854775808"'), "revision.revision is not int"],
      [replace('["1",', "[1;"), "it is not JSON"],
    ];
    for (const [change, expected] of cases) expect(await forged(change)).toContain(expected);
    expect(await forged(lines => lines, false)).toMatch(/tables are missing|footer does not fit|ends early/);
  });
});

describe("the reader", () => {
  test("takes the text in pieces of any size", async () => {
    const text = zstdDecompressSync(whole.subarray(24, whole.length - 56));
    const read = (size: number) => {
      const reader = new CopyReader();
      const rows: unknown[] = [];
      for (let at = 0; at < text.length; at += size) {
        for (const found of reader.push(text.subarray(at, at + size))) rows.push(...found.rows);
      }
      return { rows, summary: reader.end() };
    };
    const once = read(text.length);
    expect(once.rows).toHaveLength(once.summary.rows);
    for (const size of [1, 7, 64, 1_000]) expect(read(size)).toEqual(once);
  });

  test("does not gather a line without end", () => {
    const reader = new CopyReader();
    const piece = new Uint8Array(8 * 1024 * 1024).fill(97);
    expect(() => {
      for (let at = 0; at < 10; at++) reader.push(piece);
    }).toThrow("a line is too long");
  });
});
