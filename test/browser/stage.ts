import { type Browser, type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { CATALOGUE } from "./catalogue.ts";
import { type House, type HousePlan, startHouse } from "./house.ts";
import type { Visitor } from "./visitor.ts";

/** What every test here has: a running house, browsers in which everything odd is noted, and somebody signed in. */

export { expect };

type Notes = { foreign: string[]; faults: string[]; dialogs: string[]; reports: string[] };

export type Watch = {
  notes: Notes;
  /** Somebody's second browser, watched too. */
  open: (options?: Parameters<Browser["newContext"]>[0]) => Promise<BrowserContext>;
};

type Parts = {
  watch: Watch;
  holder: Visitor;
  /** Lines of the log that a test means to bring about, though they are errors. */
  mayLog: RegExp | null;
};
type WorkerParts = { plan: HousePlan; database: "SQLite" | "PostgreSQL"; house: House };

/** What the browser says by itself when an answer is a refusal or the network is gone, as tests often want it. */
const EXPECTED = /^Failed to load resource|net::ERR_|WebSocket/;

function watchContext(context: BrowserContext, root: string, notes: Notes): void {
  const own = new Set([root, root.replace("127.0.0.1", "localhost")]);
  context.on("request", request => {
    const url = new URL(request.url());
    if (["data:", "blob:", "about:"].includes(url.protocol)) return;
    if (!own.has(url.origin)) notes.foreign.push(request.url());
    if (url.pathname.endsWith("/csp-report")) notes.reports.push(request.postData() ?? "");
  });
  context.on("page", page => watchPage(page, notes));
  for (const page of context.pages()) watchPage(page, notes);
}

/** So much later a page hears of what it asked: what a walk does too early is found that way. */
const LATE_MS = Number(process.env["WICKETGATE_BROWSER_LATE_MS"] ?? 0);

async function makeLate(context: BrowserContext): Promise<void> {
  if (LATE_MS === 0) return;
  const late = () => new Promise(after => setTimeout(after, LATE_MS));
  await context.route("**/console/api/**", async route => {
    const isStream = route.request().url().endsWith("/try");
    if (route.request().method() === "GET" || isStream) {
      await late();
      return route.continue();
    }
    const response = await route.fetch();
    await late();
    // The page may have been left.
    await route.fulfill({ response }).catch(() => {});
  });
}

function watchPage(page: Page, notes: Notes): void {
  page.on("pageerror", error => notes.faults.push(error.stack ?? error.message));
  page.on("console", message => {
    const text = message.text();
    if (/content security policy/i.test(text)) notes.reports.push(text);
    else if (message.type() === "error" && !EXPECTED.test(text)) notes.faults.push(text);
  });
  page.on("dialog", dialog => {
    if (dialog.type() === "beforeunload") return void dialog.accept();
    notes.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
}

export const test = base.extend<Parts, WorkerParts>({
  plan: [{ catalogue: CATALOGUE }, { option: true, scope: "worker" }],

  database: ["SQLite", { option: true, scope: "worker" }],

  house: [
    async ({ plan, database }, use) => {
      const house = await startHouse({ ...plan, database });
      await use(house);
      await house.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],

  mayLog: [null, { option: true }],

  // In every test, whether it asks for it or not: nothing leaves the house, nothing breaks, nothing is reported.
  watch: [
    async ({ house, context, browser, mayLog }, use) => {
      const notes: Notes = { foreign: [], faults: [], dialogs: [], reports: [] };
      const logged = house.log().length;
      const others: BrowserContext[] = [];
      watchContext(context, house.root, notes);
      await makeLate(context);
      await use({
        notes,
        open: async options => {
          const other = await browser.newContext({ baseURL: house.root, ...contextOptions, ...options });
          watchContext(other, house.root, notes);
          await makeLate(other);
          others.push(other);
          return other;
        },
      });
      for (const other of others) await other.close();
      expect(notes).toEqual({ foreign: [], faults: [], dialogs: [], reports: [] });
      const said = house.log().slice(logged);
      const errors = said.match(/.*(console\.csp_report|"level":"error").*/g) ?? [];
      expect(errors.filter(line => mayLog?.test(line) !== true)).toEqual([]);
    },
    { auto: true },
  ],

  baseURL: async ({ house }, use) => {
    await use(house.root);
  },

  holder: async ({ house, context }, use) => {
    const holder = await house.guest();
    await holder.enter(context);
    await use(holder);
  },
});

const contextOptions = {
  viewport: { width: 1440, height: 900 },
  locale: "en-GB",
  timezoneId: "UTC",
  reducedMotion: "reduce",
} as const;
