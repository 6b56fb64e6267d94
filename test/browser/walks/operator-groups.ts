import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import type { House } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { expectFits } from "../steps.ts";
import { askModel } from "../visitor.ts";

/** Groups, as an operator makes and changes them; each change is looked for at the API and at the gateway. */

const [IMAGE = "", SCRIPT = ""] = PAYLOADS;

test.describe.configure({ timeout: 120_000 });

test.use({
  plan: {
    catalogue: {
      ...CATALOGUE,
      groups: [
        ...CATALOGUE.groups,
        { name: `odd ${IMAGE}`.slice(0, 100), description: SCRIPT, models: ["gpt-5"] },
      ],
    },
  },
});

const groupOf = async (house: House, name: string) => {
  const { groups } = await (await house.operator()).call("GET /operator/groups");
  return groups.find(one => one.name === name);
};
const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "Groups" }).getByRole("row").filter({ hasText: name });
const status = async (house: House, key: string, model: string) => {
  const answer = await askModel(house.root, key, { model });
  await answer.text();
  return answer.status;
};

async function open(page: Page, path = ""): Promise<void> {
  await page.goto(`/console/operator/groups${path}`);
  await expect(page.getByRole("heading", { level: 1, name: "Groups" })).toBeVisible();
}

test.beforeEach(async ({ house, context }) => {
  await (await house.operator()).enter(context);
});

test("a group is made with what its patterns match in sight, and works", async ({ page, house }) => {
  const ann = await house.guest({ email: "ann@example.org" });
  const bob = await house.guest({ email: "bob@example.org" });
  await open(page);
  await page.getByRole("button", { name: "Create group" }).click();
  const dialog = page.getByRole("dialog");
  const preview = dialog.getByRole("region", { name: "What matches" });
  await expect(dialog.getByLabel("Models", { exact: true })).toHaveValue("*");
  await expect(preview.getByText("7 models match")).toBeVisible();
  await dialog.getByRole("button", { name: "Create group" }).click();
  await expect(dialog.getByText("Give the group a name.")).toBeVisible();
  await expectAccessible(page, "a new group, with what is missing");
  await dialog.getByLabel("Name", { exact: true }).fill("quick");
  await dialog.getByLabel("Description").fill("For people in a hurry");
  await dialog.getByLabel("Multiplier").fill("0.5");
  await dialog.getByLabel("Models", { exact: true }).fill("claude-*\ngpt-9*");
  await expect(preview.getByText("2 models match")).toBeVisible();
  await expect(preview.getByText("5 models are not in it")).toBeVisible();
  await expect(preview.getByText("Matches nothing: gpt-9*")).toBeVisible();
  await preview.getByRole("button", { name: "Add gpt-5", exact: true }).click();
  await expect(preview.getByText("3 models match")).toBeVisible();
  await dialog.getByRole("radio", { name: /^Chosen accounts/ }).click();
  await dialog.getByRole("button", { name: "Create group" }).click();
  await expect(dialog.getByText("Choose at least one account, or everybody.")).toBeVisible();
  const picker = dialog.getByRole("combobox", { name: "Accounts" });
  await picker.click();
  await page.keyboard.type("ann@");
  await page.getByRole("option", { name: ann.email }).click();
  await expect(dialog.getByRole("button", { name: `Take ${ann.email} away` })).toBeVisible();
  await dialog.getByText("Default limits").click();
  await dialog.getByLabel("Requests a minute").fill("2");
  await expectAccessible(page, "a new group, filled in");
  await dialog.getByRole("button", { name: "Create group" }).click();
  await expect(page.getByText("quick created")).toBeVisible();
  expect(await groupOf(house, "quick")).toMatchObject({
    ...{ description: "For people in a hurry", multiplier: "0.5", enabled: true, billing: "balance" },
    ...{ models: ["claude-*", "gpt-9*", "gpt-5"], accounts: [ann.email] },
    limits: { requests_per_minute: 2, concurrency: null },
  });
  const { string } = await ann.makeKey("in quick", "quick");
  expect([await status(house, string, "gpt-5"), await status(house, string, "gpt-5")]).toEqual([200, 200]);
  expect(await status(house, string, "gpt-5")).toBe(429);
  expect((await bob.call("GET /groups")).groups.map(({ name }) => name)).not.toContain("quick");
});

test("a multiplier is tried on last week's requests before it is saved, and then holds", async ({
  page,
  house,
}) => {
  const guest = await house.guest();
  const { string, key } = await guest.makeKey("spends", "economy");
  expect(await status(house, string, "qwen3-coder")).toBe(200);
  await open(page);
  await row(page, "economy").getByText("economy").click();
  await expect(page).toHaveURL(/group=grp_/);
  const dialog = page.getByRole("dialog");
  const whatIf = dialog.getByRole("region", { name: "What if" });
  await expect(whatIf.getByText("Change something above")).toBeVisible();
  await dialog.getByLabel("Multiplier").fill("1.2");
  await expect(whatIf.getByText("+100%").first()).toBeVisible();
  await expect(whatIf.getByText("1 request")).toBeVisible();
  await expect(whatIf.getByText(guest.email)).toBeVisible();
  expect((await groupOf(house, "economy"))?.multiplier).toBe("0.6");
  await expectAccessible(page, "a group with what if");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("economy saved")).toBeVisible();
  expect(await groupOf(house, "economy")).toMatchObject({
    multiplier: "1.2",
    models: CATALOGUE.groups[1].models,
  });
  expect(await status(house, string, "qwen3-coder")).toBe(200);
  const costs = (await house.usage(key.id)).map(({ cost }) => Number(cost));
  expect(costs).toHaveLength(2);
  expect(Math.max(...costs)).toBeGreaterThan(Math.min(...costs) * 1.5);
  await row(page, "team plan").getByText("team plan").click();
  await dialog.getByLabel("Multiplier").fill("3");
  await expect(whatIf.getByText("No charged request in the last 7 days")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/group=/);
});

test("a group is disabled, enabled, and removed once nothing needs it, each with what stops", async ({
  page,
  house,
}) => {
  const operator = await house.operator();
  await operator.call("POST /operator/groups", { body: { name: "short-lived", models: ["gpt-5"] } });
  const guest = await house.guest();
  const { string, key } = await guest.makeKey("stops", "short-lived");
  expect(await status(house, string, "gpt-5")).toBe(200);
  await open(page);
  const act = async (entry: string) => {
    await page.getByRole("button", { name: "More for short-lived" }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  const dialog = page.getByRole("dialog");
  await act("Remove");
  await expect(dialog.getByText("1 key is in it, of 1 account.")).toBeVisible();
  await dialog.getByRole("button", { name: "Disable it instead" }).click();
  await expect(dialog.getByText("1 key stops at once, of 1 account.")).toBeVisible();
  await expectAccessible(page, "disabling a group");
  await dialog.getByRole("button", { name: "Disable" }).click();
  await expect(page.getByText("short-lived disabled")).toBeVisible();
  expect(await status(house, string, "gpt-5")).toBeGreaterThanOrEqual(400);
  await act("Enable");
  await expect(page.getByText("short-lived enabled")).toBeVisible();
  expect(await status(house, string, "gpt-5")).toBe(200);
  await guest.call("DELETE /keys/{id}", { params: { id: key.id } });
  await page.reload();
  await act("Remove");
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("short-lived removed")).toBeVisible();
  expect(await groupOf(house, "short-lived")).toBeUndefined();
  // One that a plan pays for stays.
  await page.getByRole("button", { name: "More for team plan" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await expect(dialog.getByText("It is paid for by: monthly 50.")).toBeVisible();
});

test("names and descriptions stay text; the page fits a phone and speaks Chinese", async ({
  page,
  house,
}) => {
  await open(page);
  await expect(page.getByText(SCRIPT)).toBeVisible();
  await expectAccessible(page, "groups");
  await row(page, "odd").getByText(SCRIPT).click();
  await expect(page.getByRole("dialog").getByLabel("Description")).toHaveValue(SCRIPT);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await page.locator("main img, [role=dialog] img, main script").count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page, "a group on a phone");
  await open(page);
  await expect(row(page, "economy")).toBeVisible();
  await expectFits(page, "on a phone");
  await page.goto("/console/operator/groups?group=grp_unknown");
  await expect(page.getByText("There is no such group")).toBeVisible();
  const operator = await house.operator();
  await operator.call("PATCH /account", { body: { language: "zh" } });
  await page.reload();
  await expect(page.getByText("没有这个分组")).toBeVisible();
  await operator.call("PATCH /account", { body: { language: "en" } });
});
