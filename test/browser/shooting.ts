import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "@playwright/test";
import { ROOT } from "./house.ts";
import { expect } from "./stage.ts";
import type { Visitor } from "./visitor.ts";

/** Takes pictures of scenes in both languages, themes and widths. */

const OUT = process.env["WICKETGATE_SHOTS"] ?? join(ROOT, "docs", "screenshots");
/** As PNG beside, where somebody wants to compare single points. */
const WANTS_PNG = process.env["WICKETGATE_SHOTS_PNG"] === "1";
/** Every one of them, also of scenes of which a few are kept. */
const WANTS_ALL = process.env["WICKETGATE_SHOTS_ALL"] === "1";
/** Those scenes alone, by commas. */
const ONLY = process.env["WICKETGATE_SHOTS_ONLY"]?.split(",");

const WIDTHS = {
  desktop: { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5 },
} as const;
type Width = keyof typeof WIDTHS;
const THEMES = ["light", "dark"] as const;
const LANGUAGES = { en: "en-GB", zh: "zh-CN" } as const;
export type Language = keyof typeof LANGUAGES;

/** What is kept of a scene that is a part of a page: each width, theme and language once with each of the others. */
const FEW = new Set(["desktop-light-en", "desktop-dark-zh", "phone-dark-en", "phone-light-zh"]);

export type Scene = {
  name: string;
  path: string;
  /** A panel, dialog, tab or plain list, of which a few pictures are kept. */
  isPart?: true;
  act?: (page: Page) => Promise<void>;
};

type Taking = { root: string; scene: Scene; who: Visitor | null };

export async function shootAll(browser: Browser, takings: readonly Taking[]): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const packer = await browser.newPage();
  for (const taking of takings) {
    const { scene, who } = taking;
    if (ONLY !== undefined && !ONLY.includes(scene.name)) continue;
    for (const language of ["en", "zh"] as const) {
      await who?.call("PATCH /account", { body: { language } });
      for (const width of ["desktop", "phone"] as const) {
        for (const [how, png] of await shoot(browser, { ...taking, width, language })) {
          if (scene.isPart && !WANTS_ALL && !FEW.has(how)) continue;
          writeFileSync(join(OUT, `${scene.name}-${how}.webp`), await toWebp(packer, png));
          if (WANTS_PNG) writeFileSync(join(OUT, `${scene.name}-${how}.png`), png);
        }
      }
    }
  }
  await packer.close();
}

async function shoot(
  browser: Browser,
  { root, scene, who, width, language }: Taking & { width: Width; language: Language },
): Promise<Map<string, Buffer>> {
  const context = await browser.newContext({
    ...WIDTHS[width],
    baseURL: root,
    locale: LANGUAGES[language],
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  if (who !== null) await who.enter(context);
  const page = await context.newPage();
  await page.goto(`/console/${scene.path}`);
  await expect(page.locator("h1").first()).toBeVisible();
  await page.waitForLoadState("networkidle");
  await scene.act?.(page);
  await page.waitForLoadState("networkidle");
  const pictures = new Map<string, Buffer>();
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await expect.poll(() => moving(page), { timeout: 20_000 }).toEqual([]);
    pictures.set(`${width}-${theme}-${language}`, await page.screenshot({ caret: "initial" }));
  }
  await context.close();
  return pictures;
}

/** What still moves, and places that wait for their content. */
function moving(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const told = (element: Element | null) => element?.outerHTML.slice(0, 200) ?? "something";
    const running = document.getAnimations().filter(({ playState }) => playState === "running");
    const moved = running.map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target : null));
    return [...moved, ...document.querySelectorAll(".skeleton")].map(told);
  });
}

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
