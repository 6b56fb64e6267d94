import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { FORMULAS, PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { copiedText, expectFits } from "../steps.ts";

/** Redemption codes: made in a batch, handed out, redeemed once, taken back. */

const [, SCRIPT = ""] = PAYLOADS;
const [FORMULA = ""] = FORMULAS;

test.describe.configure({ timeout: 120_000 });
// A house of its own: what others leave would be seen here.
test.use({ plan: { catalogue: CATALOGUE } });

const rows = (page: Page) => page.getByRole("table", { name: "Redemption codes" }).getByRole("row");

async function open(page: Page): Promise<void> {
  await page.goto("/console/operator/codes");
  await expect(page.getByRole("heading", { level: 1, name: "Redemption codes" })).toBeVisible();
}

/** Through the dialog, up to the codes that are shown once. */
async function make(page: Page, form: { amount: string; count: string; note: string }): Promise<void> {
  await page.getByRole("button", { name: "Make codes" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Make redemption codes" });
  await dialog.getByLabel("Worth, each").fill(form.amount);
  await dialog.getByLabel("How many").fill(form.count);
  await dialog.getByLabel("Note").fill(form.note);
  await dialog.getByRole("button", { name: "Make codes" }).click();
  await expect(page.getByRole("dialog", { name: "Your codes, this one time" })).toBeVisible();
}

test("a batch is shown once, copied and saved whole; a code credits one holder once", async ({
  page,
  house,
  context,
  watch,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  await open(page);
  await expect(page.getByText("No codes yet")).toBeVisible();
  await page.getByRole("button", { name: "Make codes" }).first().click();
  const form = page.getByRole("dialog", { name: "Make redemption codes" });
  await form.getByLabel("How many").fill("2000");
  await form.getByLabel("Expires").fill("2020-01-01");
  await form.getByRole("button", { name: "Make codes" }).click();
  await expect(form.getByText("Enter an amount above zero")).toBeVisible();
  await expect(form.getByText("Between 1 and 1,000 at a time.")).toBeVisible();
  await expect(form.getByText("This day has passed.")).toBeVisible();
  await expectAccessible(page, "making codes, with what is wrong");
  await page.keyboard.press("Escape");

  await make(page, { amount: "5.25", count: "3", note: FORMULA });
  const made = page.getByRole("dialog", { name: "Your codes, this one time" });
  await expect(made).toContainText("3 codes, worth $5.25 each.");
  await expectAccessible(page, "codes, once");
  const strings = (await copiedText(page, made.getByRole("button", { name: "Copy all" }))).split("\n");
  expect(strings).toHaveLength(3);
  for (const string of strings) expect(string).toMatch(/^wgc_[0-9A-Z-]{30,}$/);
  const saving = page.waitForEvent("download");
  await made.getByRole("button", { name: "Download CSV" }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe("codes.csv");
  const lines = readFileSync(await file.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(lines[0]).toBe("code,id,amount_usd,note,expires_at");
  expect(lines.slice(1).map(line => line.split(",")[0])).toEqual(strings);
  // A spreadsheet must not run the note.
  expect(lines[1]).toContain(`,5.25,'${FORMULA},`);
  await made.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("3 codes", { exact: true })).toBeVisible();
  await page.reload();
  await expect(rows(page).filter({ hasText: "open" })).toHaveCount(3);
  const shown = await page.content();
  for (const string of strings) expect(shown).not.toContain(string);

  const [first = "", second = ""] = strings;
  const guest = await house.guest({ balance: "1" });
  const theirContext = await watch.open();
  await guest.enter(theirContext);
  const theirs = await theirContext.newPage();
  await theirs.goto("/console/account");
  await theirs.getByRole("textbox", { name: "Code" }).fill(first);
  await theirs.getByRole("button", { name: "Redeem" }).click();
  await expect(theirs.getByText(/\$5\.250* was added\. Your balance is now \$6\.250*\./)).toBeVisible();
  const other = await house.guest({ balance: "1" });
  expect((await other.send("POST /account/redeem", { body: { code: first } })).status).toBe(409);
  expect((await other.call("GET /session")).account.balance_usd).toBe("1.00");
  await page.getByRole("radio", { name: "redeemed" }).click();
  await expect(page).toHaveURL(/state=redeemed/);
  await expect(rows(page).filter({ hasText: guest.email })).toHaveCount(1);
  await expect(rows(page).filter({ hasText: "open" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Take back/ })).toHaveCount(0);
  await page.reload();
  await expect(rows(page).filter({ hasText: guest.email })).toHaveCount(1);

  await page.getByRole("radio", { name: "open" }).click();
  await expect(rows(page).filter({ hasText: "open" })).toHaveCount(2);
  const { codes } = await operator.call("GET /operator/codes", { query: { state: "open" } });
  const preview = codes.find(one => second.endsWith(one.preview.slice(-4)))?.preview ?? "";
  await page.getByRole("button", { name: `Take back ${preview}` }).click();
  const asks = page.getByRole("dialog", { name: `Take back ${preview}?` });
  await expect(asks).toContainText("Nobody can redeem its $5.25 any more.");
  await expectAccessible(page, "taking a code back");
  await asks.getByRole("button", { name: "Take back" }).click();
  await expect(page.getByText(`${preview} taken back`)).toBeVisible();
  expect((await other.send("POST /account/redeem", { body: { code: second } })).ok).toBe(false);
  expect((await other.call("GET /session")).account.balance_usd).toBe("1.00");
  expect((await other.send("POST /account/redeem", { body: { code: strings[2] ?? "" } })).status).toBe(200);
});

test("a note stays text; in Chinese, on a phone, by the keyboard; and not for holders", async ({
  house,
  watch,
}) => {
  const operator = await house.operator();
  await operator.call("POST /operator/codes", { body: { count: 1, amount_usd: "1", note: SCRIPT } });
  const context = await watch.open({ viewport: { width: 390, height: 844 }, locale: "zh-CN" });
  await operator.enter(context);
  const page = await context.newPage();
  await page.goto("/console/operator/codes");
  await expect(page.getByText(SCRIPT)).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  await page.getByRole("button", { name: "生成充值码" }).first().focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("每个的金额")).toBeFocused();
  await page.keyboard.type("0");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText(/大于零/)).toBeVisible();
  await expectAccessible(page, "making codes on a phone");
  await page.keyboard.type(".5");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText(/仅显示这一次/).first()).toBeVisible();
  await dialog.getByRole("button", { name: "完成" }).click();
  await expectAccessible(page, "codes on a phone");
  await expectFits(page, "on a phone");
  const { codes } = await operator.call("GET /operator/codes");
  expect(codes[0]).toMatchObject({ amount_usd: "0.50", note: "", redeemed_at: null });

  const guest = await house.guest();
  const other = await watch.open();
  await guest.enter(other);
  const theirs = await other.newPage();
  await theirs.goto("/console/operator/codes");
  await expect(theirs.getByText("This page is for operators")).toBeVisible();
});
