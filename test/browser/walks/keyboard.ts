import type { Locator, Page } from "@playwright/test";
import { furnish } from "../furnish.ts";
import { PASSWORD } from "../house.ts";
import { expect, test } from "../stage.ts";

/** Everything without a mouse; whatever has the focus shows it. */

const TABS_MAX = 80;

/** Where the focus is can be seen: by an outline, a ring, or a background of its own. */
async function expectFocusSeen(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return "nothing has the focus";
    const places = [element, element.parentElement, element.closest(".control, label, tr, li")];
    const isMarked = places.some(place => {
      if (place === null || place === undefined) return false;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
      return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
    });
    return isMarked ? "seen" : element.outerHTML.slice(0, 300);
  });
  expect(seen).toBe("seen");
}

async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    if (await target.evaluate(element => element === document.activeElement)) return expectFocusSeen(page);
    await page.keyboard.press(key);
    await expectFocusSeen(page);
  }
  throw new Error(`${TABS_MAX} presses of ${key} do not lead to ${target}`);
}

test("signing in, making a key and using it", async ({ page, house }) => {
  const guest = await house.guest();
  await page.goto("/console/sign-in");
  await expect(page.getByLabel("E-mail")).toBeFocused();
  await page.keyboard.type(guest.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();

  await page.keyboard.press("Tab");
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("by hand");
  await tabTo(page, dialog.getByRole("radio", { checked: true }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await tabTo(page, dialog.getByRole("button", { name: "Create key" }));
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Your key, this one time")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog.getByText("You have not copied the key yet")).toBeVisible();
  await tabTo(page, dialog.getByRole("button", { name: "Copy and close" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);

  const row = page.getByRole("row").filter({ hasText: "by hand" });
  await tabTo(page, row);
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Use “by hand”")).toBeVisible();
  await tabTo(page, dialog.getByRole("tab", { selected: true }));
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByRole("tab", { selected: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(row).toBeFocused();

  await tabTo(page, page.getByRole("button", { name: "More for by hand" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "More for by hand" })).toBeFocused();
});

test("filters, receipts and the account", async ({ page, house, holder }) => {
  await furnish(house, holder);
  await page.goto("/console/keys");
  await expect(page.getByText("CI runner")).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await expect(page.getByRole("heading", { level: 1, name: "Usage" })).toBeFocused();
  const rows = page.getByRole("table", { name: "Requests, newest first" }).getByRole("row");
  await expect(rows.filter({ hasText: "gpt-5" }).first()).toBeVisible();
  await tabTo(page, page.getByRole("button", { name: /^Model/ }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeVisible();
  const chosen = page.getByRole("menuitem", { name: "gpt-5", exact: true });
  await tabTo(page, chosen, "ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/model=gpt-5/);
  await tabTo(page, page.getByRole("button", { name: "Remove filter Model" }));
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(/model=/);

  const first = rows.nth(1);
  await expect(first).toContainText("claude-sonnet-4-5");
  await tabTo(page, first);
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/receipt=req_/);
  await expect(page.getByText("Charged to balance")).toBeVisible();
  const before = page.url();
  await page.keyboard.press("ArrowDown");
  await expect(page).not.toHaveURL(before);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/receipt=/);

  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { level: 1, name: "Account" })).toBeFocused();
  await tabTo(page, page.getByRole("tab", { name: "Balance" }));
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Ledger" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tab=ledger/);
  await tabTo(page, page.getByRole("tab", { name: "Ledger" }));
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog").getByText("Go to usage")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the first press of Tab leads past the navigation", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/models");
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.reload();
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeAttached();
  await page.getByRole("link", { name: "Skip to the page" }).focus();
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});
