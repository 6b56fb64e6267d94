import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { type House, OPERATOR } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { expectFits } from "../steps.ts";
import type { Visitor } from "../visitor.ts";

/** The audit: what was changed in the console, on the command line and by a token, found, read and taken away. */

const [IMAGE = ""] = PAYLOADS;

test.describe.configure({ timeout: 120_000 });
// A house of its own: what others leave would be seen here.
test.use({ plan: { catalogue: CATALOGUE } });

const rows = (page: Page) => page.getByRole("table", { name: "Every change, newest first" }).getByRole("row");
const idOf = async (operator: Visitor, email: string) => {
  const { accounts } = await operator.call("GET /operator/accounts");
  const found = accounts.find(one => one.email === email);
  if (found === undefined) throw new Error(`there is no account ${email}`);
  return found.id;
};

/** A change of the same account through each of three ways. */
async function changeThrice(page: Page, house: House, email: string): Promise<void> {
  const operator = await house.operator();
  const id = await idOf(operator, email);
  await page.goto(`/console/operator/accounts?account=${id}`);
  await page.getByRole("dialog").getByRole("button", { name: "Credit or debit" }).click();
  const money = page.getByRole("dialog", { name: "Credit or debit" });
  await money.getByLabel("Amount").fill("1.5");
  await money.getByLabel("Reason").fill(IMAGE);
  await money.getByRole("button", { name: "Credit", exact: true }).click();
  await expect(page.getByText("Credited", { exact: true })).toBeVisible();
  await house.command(["account", "limit", email, "--rpm", "7"]);
  const { string } = await operator.call("POST /operator/tokens", {
    body: { name: "deployer", scope: "write-all", days: 1 },
  });
  const changed = await fetch(`${house.root}/console/api/operator/accounts/${id}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${string}`, "content-type": "application/json" },
    body: JSON.stringify({ requests_per_minute: 9 }),
  });
  expect(changed.status).toBe(200);
}

test("a change in the console, on the command line and by a token: who, through what, before and after", async ({
  page,
  house,
  context,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  const { email } = await house.guest({ email: "watched@example.org", balance: "2" });
  await changeThrice(page, house, email);
  await page.goto("/console/operator/audit");
  await expect(page.getByText("The chain is whole: no entry was changed")).toBeVisible();
  const panel = page.getByRole("dialog", { name: email });
  const of = (through: string) => rows(page).filter({ hasText: email }).filter({ hasText: through }).first();
  const field = (name: string) =>
    panel
      .getByRole("list", { name: "Fields, before and after" })
      .getByRole("listitem")
      .filter({ hasText: name });

  await of("API with a token").click();
  await expect(page).toHaveURL(/entry=\d+/);
  await expect(panel).toContainText("deployer");
  await expect(panel).toContainText(OPERATOR);
  await expect(field("requests_per_minute")).toContainText(/before: 7.*after: 9/);
  await expectAccessible(page, "a change");
  await of("command line").click();
  await expect(panel.getByText("command line", { exact: true }).first()).toBeVisible();
  await expect(field("requests_per_minute")).toContainText(/before: none.*after: 7/);
  await rows(page).filter({ hasText: email }).filter({ hasText: "credited" }).first().click();
  await expect(panel.getByText("console", { exact: true })).toBeVisible();
  await expect(field("balance")).toContainText(/before: 2\.00.*after: 3\.50/);
  await expect(panel.getByText(IMAGE)).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await expect(field("balance")).toBeVisible();
  await panel.getByRole("button", { name: "All changes of this" }).click();
  await expect(page).toHaveURL(/noun=account/);
  await panel.getByRole("link", { name: "Open the account" }).click();
  await expect(page).toHaveURL(/operator\/accounts\?account=acc_/);
  expect(await house.command(["verify"])).toMatch(/^clean/);
});

test("filters stand in the address, and the file has what they leave", async ({ page, house, context }) => {
  const operator = await house.operator();
  await operator.enter(context);
  const { email } = await house.guest({ email: "filtered@example.org" });
  await house.command(["account", "credit", email, "4", "--reason", "=1+1"]);
  const { groups } = await operator.call("GET /operator/groups");
  await operator.call("PATCH /operator/groups/{id}", {
    params: { id: groups.find(({ name }) => name === "economy")?.id ?? "" },
    body: { multiplier: "0.7" },
  });
  await page.goto("/console/operator/audit");
  await expect(rows(page).filter({ hasText: email }).first()).toBeVisible();
  await page.getByRole("button", { name: "What kind: all" }).click();
  await page.getByRole("menuitem", { name: "group", exact: true }).click();
  await expect(page).toHaveURL(/noun=group/);
  await expect(rows(page).filter({ hasText: email })).toHaveCount(0);
  await expect(rows(page).filter({ hasText: "multiplier" }).first()).toContainText("economy");
  await page.getByRole("button", { name: "Remove filter What kind" }).click();
  await page.getByLabel("Find by name").fill("filtered@");
  await expect(page).toHaveURL(/name=filtered/);
  await page.getByRole("button", { name: "Who: all" }).click();
  await page.getByRole("menuitem", { name: "command line" }).click();
  await page.getByRole("button", { name: "Time: all" }).click();
  await page.getByRole("menuitem", { name: "today" }).click();
  await expect(page).toHaveURL(/range=today/);
  await page.reload();
  await expect(page.getByText("1 change", { exact: true })).toBeVisible();
  await expect(rows(page).nth(1)).toContainText("credited");
  await expectAccessible(page, "filters of the audit");

  const save = async (entry: RegExp) => {
    await page.getByRole("button", { name: "Export" }).click();
    const saving = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: entry }).click();
    const file = await saving;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  };
  const csv = await save(/^CSV/);
  expect(csv.name).toMatch(/\.csv$/);
  expect(csv.text.match(/^\d+,.*$/gm)).toHaveLength(1);
  expect(csv.text).toContain(email);
  expect(csv.text).toContain("command line");
  const json = await save(/^JSON/);
  expect(json.name).toMatch(/\.json$/);
  const parsed: unknown = JSON.parse(json.text);
  expect(JSON.stringify(parsed)).toContain("=1+1");
  expect(JSON.stringify(parsed)).not.toContain("economy");

  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To", { exact: true }).fill("2020-01-02");
  await expect(page).toHaveURL(/from=2020-01-01/);
  await expect(page.getByText("No change matches the filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(rows(page).filter({ hasText: "economy" }).first()).toBeVisible();
  expect(new URL(page.url()).search).toBe("");
});

test("a broken chain is told; in Chinese, on a phone, by the keyboard; and not for holders", async ({
  house,
  watch,
}) => {
  const operator = await house.operator();
  const context = await watch.open({ viewport: { width: 390, height: 844 }, locale: "zh-CN" });
  await operator.enter(context);
  const page = await context.newPage();
  await page.goto("/console/operator/audit");
  await expect(page.getByText(/^记录链完整/)).toBeVisible();
  const first = page.getByRole("table").getByRole("row").nth(1);
  await first.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/entry=\d+/);
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectAccessible(page, "a change on a phone");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/entry=/);
  await expectFits(page, "on a phone");
  // That it is found is shown elsewhere; here, that it is told.
  await page.route(/\/api\/operator\/audit\?/, async route => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), chain: "broken" } });
  });
  await page.reload();
  await expect(page.getByText("审计记录被篡改")).toBeVisible();
  await expect(page.getByText("wicketgate verify")).toBeVisible();
  await expectAccessible(page, "a broken chain");

  const guest = await house.guest();
  const other = await watch.open();
  await guest.enter(other);
  const theirs = await other.newPage();
  await theirs.goto("/console/operator/audit");
  await expect(theirs.getByText("This page is for operators")).toBeVisible();
});
