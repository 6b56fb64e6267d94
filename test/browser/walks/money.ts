import type { Request } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { furnish, makeCode } from "../furnish.ts";
import { expect, test } from "../stage.ts";

/** What the pages say of money is what the books say, to the last digit. */

const nanos = (usd: string) => {
  const [, sign = "", whole = "0", fraction = ""] = /^(-?)\$?([\d,]+)(?:\.(\d+))?$/.exec(usd.trim()) ?? [];
  const value = BigInt(whole.replaceAll(",", "")) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
  return sign === "-" ? -value : value;
};

test("usage, receipts and the log's sums agree with the database", async ({ page, house, holder }) => {
  const { main, limited } = await furnish(house, holder);
  const lines = [...(await house.usage(main.id)), ...(await house.usage(limited.id))];
  const settled = lines.filter(({ state }) => state === "settled");
  expect(settled.length).toBe(5);
  const spent = settled.reduce((sum, { cost }) => sum + nanos(cost), 0n);
  await page.goto("/console/usage?range=today");
  const rows = page.getByRole("table", { name: "Requests, newest first" }).getByRole("row");
  for (const { cost } of settled) await expect(rows.filter({ hasText: `$${cost}` }).first()).toBeVisible();
  // Four identical refusals are one line.
  await expect(rows.filter({ hasText: "gpt-4" })).toHaveCount(1);
  await expect(rows.filter({ hasText: "gpt-4" })).toContainText("×4");
  const whole = (await holder.call("GET /usage/summary")).totals.cost_usd;
  expect(nanos(whole)).toBe(spent);

  for (const line of settled) {
    await page.goto(`/console/usage?receipt=${line.id}`);
    await expect(page.getByText("Charged to balance")).toBeVisible();
    await expect(page.getByRole("dialog").or(page.getByRole("complementary"))).toContainText(`$${line.cost}`);
  }
  const { account } = await holder.call("GET /session");
  expect(nanos(account.balance_usd)).toBe(25_000_000_000n - spent);
});

test("a code adds to the balance once, and every line of the ledger is there", async ({
  page,
  house,
  holder,
}) => {
  const code = await makeCode(house, "7.5");
  await page.goto("/console/account");
  await page.getByRole("textbox", { name: "Code" }).fill("wgc_wrong");
  await page.getByRole("button", { name: "Redeem" }).click();
  await expect(page.getByRole("textbox", { name: "Code" })).toHaveAttribute("aria-invalid", "true");
  await page.getByRole("textbox", { name: "Code" }).fill(code);
  await page.getByRole("button", { name: "Redeem" }).click();
  await expect(page.getByText(/\$7\.50* was added\. Your balance is now \$32\.50*\./)).toBeVisible();
  await page.getByRole("textbox", { name: "Code" }).fill(code);
  await page.getByRole("button", { name: "Redeem" }).click();
  await expect(page.getByText(/used|redeemed/i).last()).toBeVisible();
  await page.getByLabel("Warn below").fill("40");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Your balance is low")).toBeVisible();
  await page.getByRole("tab", { name: "Ledger" }).click();
  const ledger = page.getByRole("table");
  await expect(ledger.getByRole("row").filter({ hasText: "Code redeemed" })).toContainText("7.50");
  await expect(ledger.getByRole("row").filter({ hasText: "Credit" })).toContainText("25.00");
  const { account } = await holder.call("GET /session");
  expect(nanos(account.balance_usd)).toBe(32_500_000_000n);
});

test("an export has every row of the filter, and says how many it saved", async ({ page, house, holder }) => {
  await furnish(house, holder);
  await page.goto("/console/usage?range=today");
  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^CSV/ }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  const stream = await download.createReadStream();
  let text = "";
  for await (const piece of stream) text += String(piece);
  const lines = text.trim().split(/\r?\n/);
  expect(lines[0]).toMatch(/^id,at,key/);
  expect(lines).toHaveLength(1 + 10);
  await expect(page.getByText(/10 rows saved as/)).toBeVisible();
});

test("an export under way shows how far it is, and is cancelled without a trace", async ({
  page,
  house,
  holder,
}) => {
  await furnish(house, holder);
  await page.goto("/console/usage?range=today");
  const isExport = (request: Request) => request.url().includes("/usage/export");
  const asked = page.waitForRequest(isExport);
  const ended = page.waitForEvent("requestfailed", isExport);
  // An answer that does not come: what is shown meanwhile is looked at in peace.
  await page.route("**/console/api/usage/export*", () => {});
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: /^JSON/ }).click();
  await asked;
  await expect(page.getByText("Asking for the rows…")).toBeVisible();
  await expectAccessible(page, "an export under way");
  await page.getByRole("button", { name: "Cancel" }).click();
  await ended;
  await expect(page.getByText("The export was cancelled. Nothing was saved.")).toBeVisible();
  await expectAccessible(page, "an export that was cancelled");
  await page.unroute("**/console/api/usage/export*");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("button", { name: "Export" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^JSON/ }).click();
  expect((await saved).suggestedFilename()).toMatch(/\.json$/);
});
