import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Glob } from "bun";

/** The house rules that a machine can check. A rule that is not checked is a wish. */

const root = join(import.meta.dir, "..");
const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const PIPELINE_LINES_MAX = 90;
/** Of a component: the formatter gives each attribute of its markup a line. */
const COMPONENT_LINES_MAX = 100;

type Source = { path: string; text: string; lines: string[] };

function sources(...globs: string[]): Source[] {
  const paths = globs.flatMap(glob => [...new Glob(glob).scanSync({ cwd: root })]);
  return paths.sort().map(path => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, lines: text.trimEnd().split("\n") };
  });
}

const code = sources("{src,test,bench,web}/**/*.{ts,tsx}");
const product = code.filter(
  ({ path }) => path.startsWith("src/") && !/\.(test|case)\.ts$|test-rig/.test(path),
);

const browser = code.filter(({ path }) => path.startsWith("web/") && !/\.test\.tsx?$/.test(path));

/** Pure, so that the browser says of a key exactly what the server says. */
const SHARED_RULES: readonly string[] = [
  "src/domain/errors.ts",
  "src/domain/key-string.ts",
  "src/domain/provider-key.ts",
  "src/domain/custom-key.ts",
  "src/domain/settings-accent.ts",
  "src/domain/tool-name.ts",
];

/** Who may import whom: arrows point down only. Files at the root of src are the composition root's own. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  protocols: ["domain"],
  pricing: ["domain"],
  store: ["domain"],
  upstream: ["domain", "protocols"],
  gateway: ["domain", "protocols", "pricing", "store", "upstream"],
  console: ["domain", "pricing", "store", "upstream"],
  cli: ["config", "server", "secret", "log", "store", "domain", "console"],
  config: ["domain"],
  secret: ["config"],
  log: ["domain"],
  instance: ["domain", "store"],
  server: ["config", "secret", "log", "instance", "domain", "store", "upstream", "gateway", "console"],
  main: ["cli"],
};

function folderOf(path: string): string {
  return (relative("src", path).split("/")[0] ?? "").replace(/(\.test)?\.ts$/, "");
}

function importsOf({ path, text }: Source): string[] {
  const found = [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(match => match[1] ?? "");
  return found.map(target => relative(root, resolve(root, dirname(path), target)));
}

describe("imports", () => {
  test("follow the table, and every folder stands in it", () => {
    const wrong = code
      .filter(({ path }) => path.startsWith("src/"))
      .flatMap(source => {
        const from = folderOf(source.path);
        const allowed = MAY_IMPORT[from];
        if (allowed === undefined) return [`${source.path} is in no folder of the table`];
        return importsOf(source)
          .filter(target => folderOf(target) !== from && !allowed.includes(folderOf(target)))
          .map(target => `${source.path} imports ${target}`);
      });
    expect(wrong).toEqual([]);
  });

  test("of the bench reach nothing of the product: it measures over HTTP", () => {
    const wrong = code.filter(source => source.path.startsWith("bench/"));
    expect(wrong.flatMap(importsOf).filter(target => target.startsWith("src/"))).toEqual([]);
  });

  test("of the browser's app reach the server's types, and the rules it shares with it, alone", () => {
    const wrong = browser.flatMap(({ path, text }) =>
      [...text.matchAll(/(import type|import|export type|export)\s[^;]*?from\s+"(\.[^"]+)"/g)]
        .map(([, how, target]) => ({ how, to: relative(root, resolve(root, dirname(path), target ?? "")) }))
        .filter(({ to }) => !to.startsWith("web/"))
        .filter(({ how, to }) => !(how?.endsWith(" type") && to.startsWith("src/console/contract/")))
        .filter(({ to }) => !SHARED_RULES.includes(to))
        .map(({ to }) => `${path} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test("of the rules shared with the browser lead to nothing but each other", () => {
    const rules = code.filter(({ path }) => SHARED_RULES.includes(path));
    expect(rules.flatMap(importsOf).filter(target => !SHARED_RULES.includes(target))).toEqual([]);
  });
});

describe("sizes", () => {
  test(`no file has more than ${FILE_LINES_MAX} lines`, () => {
    const long = code.filter(({ lines }) => lines.length > FILE_LINES_MAX);
    expect(long.map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([]);
  });

  test("the pipeline is one screen", () => {
    const pipeline = code.find(({ path }) => path === "src/gateway/pipeline.ts");
    expect(pipeline?.lines.length).toBeLessThanOrEqual(PIPELINE_LINES_MAX);
  });

  test(`no function has more than ${FUNCTION_LINES_MAX} lines, no component more than ${COMPONENT_LINES_MAX}`, () => {
    expect([...product, ...browser].flatMap(longFunctions)).toEqual([]);
  });
});

/** The formatter puts a function's closing brace at the indentation of its first line. */
function longFunctions({ path, lines }: Source): string[] {
  return lines.flatMap((line, at) => {
    const opening =
      /^(\s*)(?:export )?(?:async )?(?:function\b|const \w+ = (?:async )?(?:\(.*|\w+ )=> \{$)/.exec(line);
    if (opening === null) return [];
    const end = lines.findIndex((other, place) => place > at && other.startsWith(`${opening[1] ?? ""}}`));
    const length = end - at + 1;
    const most = path.endsWith(".tsx") ? COMPONENT_LINES_MAX : FUNCTION_LINES_MAX;
    return length > most ? [`${path}:${at + 1}: ${length} lines`] : [];
  });
}

describe("names", () => {
  const FORBIDDEN = /^(utils?|helpers?|common|managers?|services?|index|misc|shared)$/;

  test("of files are kebab-case and say what is inside", () => {
    const bare = (path: string) => basename(path).replace(/(\.(test|case|d|config))?\.tsx?$/, "");
    const wrong = code.filter(
      ({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(bare(path)) || FORBIDDEN.test(bare(path)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("speak one language: an upstream is never a channel or a provider endpoint", () => {
    const wrong = [...product, ...browser].filter(({ text }) => /\bchannel(s|Id)?\b/i.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

/** Each of these has one owner; everybody else is given it. */
const OWNERS: readonly { what: string; pattern: RegExp; owners: readonly RegExp[] }[] = [
  {
    what: "the clock",
    pattern: /\bDate\.now\b/,
    owners: [/^src\/server\.ts$/, /^src\/cli\/session\.ts$/, /^src\/store\/sqlite\/thread\.ts$/],
  },
  { what: "chance", pattern: /\bMath\.random\b/, owners: [/^src\/server\.ts$/] },
  { what: "the environment", pattern: /\b(process|Bun)\.env\b/, owners: [/^src\/main\.ts$/] },
  {
    what: "outbound connections",
    pattern: /\bBun\.connect\b|\bnew WebSocket\b/,
    owners: [/^src\/upstream\//],
  },
  { what: "HTTP as a client", pattern: /(?<![\w.])fetch\(/, owners: [/^src\/cli\/doctor[\w-]*\.ts$/] },
  { what: "listening", pattern: /\bBun\.(serve|listen)\b/, owners: [/^src\/gateway\/serve\.ts$/] },
  { what: "the database", pattern: /\bnew Database\b|bun:sqlite/, owners: [/^src\/store\/sqlite\//] },
  { what: "SQL", pattern: /["'`]\s*(select|insert into|update|delete from)\s/i, owners: [/^src\/store\//] },
  {
    what: "foreign functions",
    pattern: /bun:ffi/,
    owners: [/^src\/upstream\/receive-window\.ts$/, /^src\/gateway\/listening-socket\.ts$/],
  },
];

describe("owners", () => {
  for (const { what, pattern, owners } of OWNERS) {
    test(`of ${what} are the only ones to touch it`, () => {
      const wrong = product.filter(
        ({ path, text }) => pattern.test(text) && !owners.some(owner => owner.test(path)),
      );
      expect(wrong.map(({ path }) => path)).toEqual([]);
    });
  }
});

/** The same in the browser. */
const BROWSER_OWNERS: readonly { what: string; pattern: RegExp; owners: readonly RegExp[] }[] = [
  { what: "the browser's clock", pattern: /\bDate\.now\b/, owners: [/^web\/format\/clock\.ts$/] },
  {
    what: "calls to the server",
    pattern: /(?<![\w.])fetch\(|XMLHttpRequest|EventSource|sendBeacon/,
    owners: [/^web\/api\/(call|open-stream)\.ts$/],
  },
  {
    what: "what the browser keeps",
    pattern: /\b(local|session)Storage\b|document\.cookie/,
    owners: [/^web\/browser\/kept\.ts$/],
  },
  // What is written into a page as markup, and what a strict content security policy would stop.
  {
    what: "markup made of text, inline script and inline style",
    pattern:
      /dangerouslySetInnerHTML|\.innerHTML\b|insertAdjacentHTML|document\.write|\beval\(|<style|<script(?! )/,
    owners: [],
  },
  {
    what: "addresses elsewhere",
    pattern: /["'`](https?:)?\/\/(?!127\.0\.0\.1|www\.w3\.org)[a-z]/,
    owners: [],
  },
];

describe("owners in the browser", () => {
  for (const { what, pattern, owners } of BROWSER_OWNERS) {
    test(`of ${what} are the only ones to touch it`, () => {
      const wrong = browser.filter(
        ({ path, text }) => pattern.test(text) && !owners.some(owner => owner.test(path)),
      );
      expect(wrong.map(({ path }) => path)).toEqual([]);
    });
  }
});

describe("forbidden", () => {
  const FORBIDDEN: readonly { what: string; pattern: RegExp }[] = [
    { what: "default exports", pattern: /^export default/m },
    {
      what: "ignore comments",
      pattern: new RegExp(`(@ts-(ignore|expect-error|nocheck)|${"biome"}-ignore|eslint-disable)`),
    },
    { what: "the any type", pattern: /(: any\b|<any>|as any\b)/ },
    { what: "barrels", pattern: /^export \* from/m },
    { what: "focused or skipped tests without a reason", pattern: /\b(test|describe|it)\.(only|todo)\(/ },
    { what: "values written into SQL", pattern: /\b(where|values|set)\b[^"'`]*=\s*'?\$\{(?!sum\()/i },
  ];
  for (const { what, pattern } of FORBIDDEN) {
    test(`${what} appear nowhere`, () => {
      const wrong = code.filter(({ path, text }) => path !== "test/tidy.test.ts" && pattern.test(text));
      expect(wrong.map(({ path }) => path)).toEqual([]);
    });
  }
});
