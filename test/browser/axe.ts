import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import { expect, test } from "@playwright/test";

/** What axe finds on a page as it stands, in both themes. */

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const GRAVE = ["serious", "critical"];

type Rules = { runOnly?: string[] };
/** A theme changes colours and nothing else. */
const RULES_OF_THEME: Record<"light" | "dark", Rules> = {
  light: {},
  dark: { runOnly: ["color-contrast", "link-in-text-block"] },
};

type Found = { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] };

declare global {
  interface Window {
    axe?: { run: (place: Document, options: object) => Promise<{ violations: Found[] }> };
  }
}

async function graveViolations(page: Page, rules: Rules): Promise<string[]> {
  const has = await page.evaluate(() => window.axe !== undefined);
  // Through the debugger, which the policy of the page does not bind.
  if (!has) await page.evaluate(SOURCE);
  const violations = await page.evaluate(
    async wanted => (await window.axe?.run(document, { ...wanted, resultTypes: ["violations"] }))?.violations,
    rules,
  );
  return (violations ?? [])
    .filter(({ impact }) => GRAVE.includes(impact ?? ""))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(node => `${node.html}\n${node.failureSummary ?? ""}`).join("\n")}`,
    );
}

/** A change of theme is drawn, and whatever moves has come to rest. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    await frame();
    await frame();
    const moving = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations === 1);
    await Promise.allSettled(moving.map(animation => animation.finished));
    await frame();
  });
}

/** Fails with all that is grave; `what` names the place. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // A page is the same on either database, and a look at it takes a second.
  if (test.info().project.name === "PostgreSQL") return;
  for (const [colorScheme, rules] of Object.entries(RULES_OF_THEME)) {
    await page.emulateMedia({
      colorScheme: colorScheme === "dark" ? "dark" : "light",
      reducedMotion: "reduce",
    });
    await settled(page);
    expect.soft(await graveViolations(page, rules), `${what}, ${colorScheme}`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
}
