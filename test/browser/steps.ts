import type { Locator, Page } from "@playwright/test";
import { expect } from "@playwright/test";
import { PASSWORD } from "./house.ts";

/** What several walks do. */

/** On the sign-in page; answered, whatever the answer is. */
export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  const answered = page.waitForResponse(/\/api\/sign-in$/);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await answered;
}

/** What a copy button puts on the clipboard. */
export async function copiedText(page: Page, button: Locator): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(""));
  await button.click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe("");
  return await page.evaluate(() => navigator.clipboard.readText());
}

/** Through the dialog, up to the string that is shown once; gives it, copied. */
export async function makeKey(page: Page, { name, group }: { name: string; group: string }): Promise<string> {
  await page.getByRole("button", { name: "Create key" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByRole("radio", { name: new RegExp(`^${group}`) }).click();
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("Your key, this one time")).toBeVisible();
  return await copiedText(page, dialog.getByRole("button", { name: "Copy" }));
}

/** An entry of the menu behind a key's three dots. */
export async function keyMenu(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /Account, theme and language/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
}

/** Somebody else ended the session: a page that is looked at finds out by itself, and any other when it next asks. */
export async function expectSignedOut(page: Page): Promise<void> {
  const refresh = page.getByRole("button", { name: "Refresh" });
  await expect(async () => {
    if (await refresh.isVisible()) await refresh.click({ timeout: 1_000 });
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 8_000 });
  await expect(page.getByText("You were signed out. Sign in again to go on where you were.")).toBeVisible();
}

/** What the page asks there reaches the server so much later: everything, or what has this method. */
export async function delay(page: Page, address: string, ms: number, method?: string): Promise<void> {
  await page.route(address, async route => {
    const isMeant = method === undefined || route.request().method() === method;
    if (isMeant) await new Promise(after => setTimeout(after, ms));
    await route.continue();
  });
}

/** What is done there is done, and the page hears of it only once the returned function is called. */
export async function holdAnswers(page: Page, address: string, method: string): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>(resolve => {
    letGo = resolve;
  });
  await page.route(address, async route => {
    if (route.request().method() !== method) return route.continue();
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  return letGo;
}

/** A section of settings has heard that it is saved: while it is on its way its button takes no press either. */
export async function expectSaved(section: Locator): Promise<void> {
  await expect(section.getByRole("button", { name: "Discard" })).toHaveCount(0);
  await expect(section.getByRole("button", { name: "Save" })).toBeDisabled();
}

/** Nothing of the page sticks out of the window; of what does, all is named. */
export async function expectFits(page: Page, what: string): Promise<void> {
  const tooWide = await page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const all = [...document.querySelectorAll("body *")];
    const beyond = all.filter(one => one.getBoundingClientRect().right > innerWidth + 1);
    return [
      `${document.documentElement.scrollWidth} of ${innerWidth}`,
      ...beyond.map(one => one.outerHTML.slice(0, 160)),
    ];
  });
  expect(tooWide, what).toEqual([]);
}

/** Where the navigation leads whoever is signed in. */
export async function navPaths(page: Page): Promise<string[]> {
  const links = page.getByRole("navigation").getByRole("link");
  const paths = await links.evaluateAll(found => found.map(link => link.getAttribute("href") ?? ""));
  return [...new Set(paths)];
}
