import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { CATALOGUE } from "../catalogue.ts";
import { type House, ROOT, startHouse, tokenOf } from "../house.ts";
import { expect, test } from "../stage.ts";
import { askModel, type Visitor } from "../visitor.ts";

/** Every page in both languages, themes and widths. */

const EMAIL = "ann@example.org";
const OUT = process.env["WICKETGATE_SHOTS"] ?? join(ROOT, "docs", "screenshots");
/** As PNG beside, where somebody wants to compare single points. */
const WANTS_PNG = process.env["WICKETGATE_SHOTS_PNG"] === "1";

const WIDTHS = {
  desktop: { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 },
} as const;
type Width = keyof typeof WIDTHS;
const THEMES = ["light", "dark"] as const;
const LANGUAGES = { en: "en-GB", zh: "zh-CN" } as const;
type Language = keyof typeof LANGUAGES;

type Scene = {
  name: string;
  path: string;
  /** Nobody is signed in. */
  isOpen?: true;
  isOperator?: true;
  act?: (page: Page, place: Place) => Promise<void>;
};

type Place = { house: House; keyId: string; keyString: string };

const KEYS = [
  { name: "laptop · Claude Code", group: "standard" },
  { name: "desktop · Codex", group: "standard", quota: 60 },
  { name: "desktop · Cursor", group: "standard", requests_per_minute: 60, concurrency: 4 },
  { name: "CI runner", group: "economy", quota: 10, tokens_per_minute: 400_000, expires_at: soon(24) },
  { name: "phone · Chatbox", group: "economy" },
];

function soon(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
}

async function furnishedHouse(): Promise<{ place: Place; holder: Visitor }> {
  const catalogue = {
    ...CATALOGUE,
    accounts: [
      { email: EMAIL, balance: 180, subscriptions: [{ plan: "monthly 50", until: soon(200) }] },
      { email: "bo@example.org", balance: 12.5 },
      { email: "chen@example.org", balance: 40 },
    ],
    keys: KEYS.map(key => ({ account: EMAIL, ...key })),
  };
  const house = await startHouse({ catalogue, past: EMAIL });
  await house.operator();
  await expect.poll(() => house.log(), { timeout: 20_000 }).toContain("usage.summed_up");
  const link =
    (await house.command(["account", "reset", EMAIL, "--json"])).match(/https?:[^"\s]+#[\w-]+/)?.[0] ?? "";
  const holder = house.visitor();
  await holder.call("POST /links/use", {
    body: { token: tokenOf(link), password: "a quiet wicket in the wall" },
  });
  holder.email = EMAIL;
  await holder.call("PATCH /account", { body: { name: "Ann", low_balance_usd: "20" } });
  const { keys } = await holder.call("GET /keys");
  const phone = keys.find(({ name }) => name.startsWith("phone"));
  await holder.call("POST /keys/{id}/disable", { params: { id: phone?.id ?? "" } });
  const made = await holder.makeKey("notebook · OpenCode", "economy");
  const agent = "opencode/1.18.0";
  await (await askModel(house.root, made.string, { model: "qwen3-coder", agent })).text();
  for (let at = 0; at < 6; at += 1)
    await (await askModel(house.root, made.string, { model: "qwen-coder", agent })).text();
  await (await askModel(house.root, made.string, { model: "deepseek-v3.2", agent })).text();
  return { place: { house, keyId: made.key.id, keyString: made.string }, holder };
}

const SCENES: readonly Scene[] = [
  { name: "sign-in", path: "sign-in", isOpen: true },
  { name: "keys", path: "keys" },
  {
    name: "create",
    path: "keys?show=create",
    act: async page => {
      await page.getByRole("dialog").getByRole("textbox").first().fill("laptop · OpenCode");
    },
  },
  { name: "use", path: "keys?show=use&client=claude-code&key=KEY" },
  { name: "models", path: "models" },
  { name: "usage", path: "usage?range=30d" },
  {
    name: "receipt",
    path: "usage?range=30d",
    act: async page => {
      await page.getByRole("row").filter({ hasText: "claude-sonnet-4-5" }).first().click();
      await expect(page).toHaveURL(/receipt=/);
    },
  },
  {
    name: "check",
    path: "check",
    act: async (page, { house, keyString }) => {
      const inputs = page.locator("main form input:visible");
      await inputs.and(page.locator("[inputmode=url]")).fill(`${house.root}/v1`);
      await inputs.and(page.locator("[placeholder^=wgk]")).fill(keyString);
      await inputs.and(page.locator("[list]")).fill("claude-sonnet-4-5");
      await page.locator("main button[type=submit]").click();
      const wrong = page.locator("main ol > li:has(p.text-bad)").first();
      await expect(wrong).toBeVisible();
      await wrong.evaluate(element => element.scrollIntoView({ block: "center" }));
    },
  },
  { name: "account", path: "account" },
  { name: "security", path: "account?tab=security" },
  { name: "accounts", path: "operator/accounts", isOperator: true },
];

/** By the browser itself, which packs pictures well. */
async function toWebp(packer: Page, png: Buffer): Promise<Buffer> {
  const packed = await packer.evaluate(async data => {
    const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.35 });
    let text = "";
    for (const byte of new Uint8Array(await blob.arrayBuffer())) text += String.fromCharCode(byte);
    return btoa(text);
  }, png.toString("base64"));
  return Buffer.from(packed, "base64");
}

async function shoot(
  browser: Browser,
  place: Place,
  { scene, width, language, who }: { scene: Scene; width: Width; language: Language; who: Visitor | null },
): Promise<Map<string, Buffer>> {
  const context = await browser.newContext({
    ...WIDTHS[width],
    baseURL: place.house.root,
    locale: LANGUAGES[language],
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  if (who !== null) await who.enter(context);
  const page = await context.newPage();
  await page.goto(`/console/${scene.path.replace("KEY", place.keyId)}`);
  await expect(page.locator("h1").first()).toBeVisible();
  await page.waitForLoadState("networkidle");
  await scene.act?.(page, place);
  await page.waitForLoadState("networkidle");
  const pictures = new Map<string, Buffer>();
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await page.waitForFunction(() => document.getAnimations().every(one => one.playState !== "running"));
    const png = await page.screenshot({ caret: "initial" });
    pictures.set(`${scene.name}-${width}-${theme}-${language}`, png);
  }
  await context.close();
  return pictures;
}

test("pictures of every page", async ({ browser }) => {
  const { place, holder } = await furnishedHouse();
  const operator = await place.house.operator();
  const packer = await browser.newPage();
  mkdirSync(OUT, { recursive: true });
  try {
    for (const scene of SCENES) {
      for (const width of ["desktop", "phone"] as const) {
        for (const language of ["en", "zh"] as const) {
          const who = scene.isOpen ? null : scene.isOperator ? operator : holder;
          await who?.call("PATCH /account", { body: { language } });
          for (const [name, png] of await shoot(browser, place, { scene, width, language, who })) {
            writeFileSync(join(OUT, `${name}.webp`), await toWebp(packer, png));
            if (WANTS_PNG) writeFileSync(join(OUT, `${name}.png`), png);
          }
        }
      }
    }
  } finally {
    await place.house.stop();
  }
});
