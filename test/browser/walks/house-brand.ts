import { deflateSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { type House, OPERATOR, PASSWORD } from "../house.ts";
import { expect, test } from "../stage.ts";
import { expectFits, signIn } from "../steps.ts";

/** What the house calls itself and looks like, and which ways in it offers, as somebody sees it who comes by. */

// A house of its own, because what is changed here is seen on every page.
test.use({ plan: { catalogue: CATALOGUE, env: { WICKETGATE_USAGE_DAYS: "0" } } });

const ACCENT = "#5b2c83";

/** Eight by eight pixels of one colour. */
function picture(): string {
  const chunk = (kind: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
    const sized = Buffer.alloc(4);
    sized.writeUInt32BE(data.length);
    const summed = Buffer.alloc(4);
    summed.writeUInt32BE(crc(body));
    return Buffer.concat([sized, body, summed]);
  };
  const head = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]);
  const row = Buffer.from([0, ...Array.from({ length: 8 }, () => [91, 44, 131]).flat()]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: 8 }, () => row)));
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const whole = [start, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  return `data:image/png;base64,${Buffer.concat(whole).toString("base64")}`;
}

function crc(bytes: Buffer): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb8_8320 : sum >>> 1;
  }
  return (sum ^ 0xffff_ffff) >>> 0;
}

async function set(house: House, settings: Record<string, string | null>): Promise<void> {
  const operator = await house.operator();
  await operator.call("PATCH /operator/settings", { body: { settings } });
}

test.afterEach(async ({ house }) => {
  const operator = await house.operator();
  const { settings } = await operator.call("GET /operator/settings");
  const changed = settings.filter(({ from }) => from === "console").map(({ name }) => [name, null]);
  await operator.call("PATCH /operator/settings", { body: { settings: Object.fromEntries(changed) } });
});

const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--accent").trim());

test("name, picture and colour are on the pages before and after signing in, in both themes", async ({
  page,
  house,
}) => {
  const name = "<b>Pine</b> & 松木";
  await set(house, { name, accent: ACCENT, logo: picture() });
  const guest = await house.guest();
  await page.goto("/console/sign-in");
  await expect(page.getByRole("banner").getByText(name, { exact: true })).toBeVisible();
  await expect(page).toHaveTitle(`Sign in · ${name}`);
  expect(await accentOf(page)).toBe(ACCENT);
  const mark = page.locator('img[src*="/house/logo?v="]').first();
  await expect(mark).toBeVisible();
  await expect.poll(() => mark.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8);
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute("href", /\/house\/logo\?v=/);
  await expectAccessible(page, "sign-in in the house's colour");
  await signIn(page, guest.email);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await expect(page).toHaveTitle(`API keys · ${name}`);
  await expect(page.getByRole("navigation").first().getByText(name, { exact: true })).toBeVisible();
  await expectAccessible(page, "keys in the house's colour");
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await accentOf(page);
  expect(dark).toMatch(/^#[0-9a-f]{6}$/);
  expect(dark).not.toBe(ACCENT);
  // Remembered by the browser: right from the first moment, whatever the network does.
  await page.route("**/console/api/house", route => route.abort());
  await page.reload();
  await expect(page.getByRole("navigation").first().getByText(name, { exact: true })).toBeVisible();
  expect(await accentOf(page)).toBe(dark);
});

test("without a colour of its own the house has the product's, also where it had one", async ({
  page,
  house,
}) => {
  await set(house, { accent: ACCENT, name: "For a while" });
  await page.goto("/console/sign-in");
  await expect(page).toHaveTitle("Sign in · For a while");
  await set(house, { accent: null, name: null });
  await page.reload();
  await expect(page).toHaveTitle("Sign in · Wicketgate");
  expect(await accentOf(page)).toBe("#17694f");
});

test("a long name stays within the page of a phone", async ({ page, house, holder }) => {
  await set(house, { name: "W".repeat(40) });
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["/console/keys", "/console/check"]) {
    await page.goto(path);
    await expect(page).toHaveTitle(new RegExp("W".repeat(40)));
    await expectFits(page, path);
  }
  expect(holder.email).toContain("@");
});

test("the house's language is for whoever has not chosen one", async ({ page, house, watch }) => {
  await set(house, { language: "zh" });
  await page.goto("/console/sign-in");
  await expect(page.getByRole("heading", { level: 1, name: "登录" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh-CN");
  const other = await (await watch.open()).newPage();
  await other.addInitScript(() => localStorage.setItem("wicketgate.language", "en"));
  await other.goto("/console/sign-in");
  await expect(other.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
});

test("without passwords only the other ways are offered; operators have theirs, holders hear why not", async ({
  page,
  house,
}) => {
  const guest = await house.guest();
  await set(house, { password_sign_in: "off" });
  await page.goto("/console/sign-in");
  await expect(page.getByRole("button", { name: "Sign in with a passkey" })).toBeVisible();
  await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
  await expectAccessible(page, "sign-in without passwords");
  await page.getByRole("button", { name: "I am an operator: use a password" }).click();
  await expect(page.getByLabel("E-mail")).toBeFocused();
  await signIn(page, guest.email);
  await expect(page.getByRole("alert")).toContainText("Passwords are not used here.");
  await signIn(page, OPERATOR, PASSWORD);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});

test("without passkeys the button is not there, nor a place to add one", async ({ page, house, holder }) => {
  await set(house, { passkeys: "off" });
  await page.goto("/console/account?tab=security");
  await expect(page.getByRole("heading", { name: "Two-factor" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Passkeys" })).toHaveCount(0);
  await page.context().clearCookies();
  await page.goto("/console/sign-in");
  await expect(page.getByLabel("Password", { exact: true })).toBeVisible();
  await expect(page.getByText(/to Wicketgate/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Sign in with a passkey" })).toHaveCount(0);
  expect(holder.email).toContain("@");
});
