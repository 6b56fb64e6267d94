import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import type { House } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { delay, expectFits } from "../steps.ts";
import { askModel } from "../visitor.ts";

/** Plans: made, given, used, ended; each change is looked for at the API and at the gateway. */

const [IMAGE = ""] = PAYLOADS;

test.describe.configure({ timeout: 120_000 });

test.use({
  plan: {
    catalogue: {
      ...CATALOGUE,
      groups: [...CATALOGUE.groups, { name: "members", models: ["gpt-5"], billing: "subscription" }],
      plans: [...CATALOGUE.plans, { name: `odd ${IMAGE}`, groups: ["members"], quota: 1, window: "day" }],
    },
  },
});

const planOf = async (house: House, name: string) => {
  const { plans } = await (await house.operator()).call("GET /operator/plans");
  return plans.find(one => one.name === name);
};
const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "Plans" }).getByRole("row").filter({ hasText: name });

async function open(page: Page, path = ""): Promise<void> {
  await page.goto(`/console/operator/plans${path}`);
  await expect(page.getByRole("heading", { level: 1, name: "Plans" })).toBeVisible();
}

test.beforeEach(async ({ house, context }) => {
  await (await house.operator()).enter(context);
});

test("a plan is made, given to several, pays for a request, and is ended", async ({ page, house }) => {
  const ann = await house.guest({ email: "ann@example.org" });
  const bob = await house.guest({ email: "bob@example.org" });
  await open(page);
  await page.getByRole("button", { name: "Create plan" }).click();
  const form = page.getByRole("dialog", { name: "Create a plan" });
  await form.getByRole("button", { name: "Create plan" }).click();
  await expect(form.getByText("Give the plan a name.")).toBeVisible();
  await expect(form.getByText("Choose at least one group.")).toBeVisible();
  await expectAccessible(page, "a new plan, with what is missing");
  await form.getByLabel("Name").fill("weekly 20");
  await form.getByLabel("Quota").fill("20");
  await form.getByRole("combobox", { name: "Begins anew" }).click();
  await page.getByRole("option", { name: "every week" }).click();
  await form.getByRole("checkbox", { name: "members" }).click();
  await form.getByRole("button", { name: "Create plan" }).click();
  await expect(page.getByText("weekly 20 created")).toBeVisible();
  expect(await planOf(house, "weekly 20")).toMatchObject({
    ...{ quota_usd: "20.00", window: "week", groups: ["members"], holders: [] },
  });

  await row(page, "weekly 20").getByText("weekly 20").click();
  const panel = page.getByRole("dialog", { name: "weekly 20", exact: true });
  await expect(panel.getByText("Nobody has it yet.")).toBeVisible();
  await panel.getByRole("button", { name: "Give to accounts" }).click();
  const give = page.getByRole("dialog", { name: "Give weekly 20" });
  await give.getByRole("button", { name: "Give plan" }).click();
  await expect(give.getByText("Choose at least one account.")).toBeVisible();
  for (const { email } of [ann, bob]) {
    await give.getByRole("combobox", { name: "Accounts" }).fill(email);
    await page.getByRole("option", { name: email }).click();
    await expect(give.getByRole("button", { name: `Take ${email} away` })).toBeVisible();
  }
  await give.getByLabel("Until").fill("2099-12-31");
  await expectAccessible(page, "giving a plan");
  await give.getByRole("button", { name: "Give plan" }).click();
  await expect(page.getByText("weekly 20 given to 2 accounts")).toBeVisible();
  expect((await planOf(house, "weekly 20"))?.holders).toMatchObject([
    { email: ann.email, left_usd: "20.00", until: expect.stringMatching(/^2099-12-31/) },
    { email: bob.email, left_usd: "20.00" },
  ]);

  const { string } = await ann.makeKey("member", "members");
  const ask = async () => {
    const answer = await askModel(house.root, string, { model: "gpt-5" });
    await answer.text();
    return answer.status;
  };
  expect(await ask()).toBe(200);
  await expect
    .poll(async () => Number((await planOf(house, "weekly 20"))?.holders[0]?.left_usd))
    .toBeLessThan(20);
  await page.reload();
  await expect(panel.getByText(/^\$19\.\d+ left of \$20\.00$/)).toBeVisible();
  await expectAccessible(page, "a plan's panel");
  await panel.getByRole("button", { name: `More for ${bob.email}` }).click();
  await page.getByRole("menuitem", { name: "Move the end" }).click();
  const move = page.getByRole("dialog", { name: "Move the end of weekly 20" });
  await move.getByLabel("Until").fill("");
  await move.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("End of weekly 20 moved")).toBeVisible();
  expect((await planOf(house, "weekly 20"))?.holders[1]).toMatchObject({ email: bob.email, until: null });

  // Who asks to remove it before the page has heard that nobody has it any more is told so once it has.
  await delay(page, "**/console/api/operator/plans", 600);
  for (const { email } of [ann, bob]) {
    await panel.getByRole("button", { name: `More for ${email}` }).click();
    await page.getByRole("menuitem", { name: "End it" }).click();
    await page
      .getByRole("dialog", { name: `End weekly 20 of ${email}?` })
      .getByRole("button", { name: "End it" })
      .click();
    await expect(page.getByText(`weekly 20 of ${email} ended`)).toBeVisible();
  }
  expect((await planOf(house, "weekly 20"))?.holders).toEqual([]);
  expect(await ask()).toBeGreaterThanOrEqual(400);
  await panel.getByRole("button", { name: "Remove" }).click();
  await page
    .getByRole("dialog", { name: "Remove weekly 20?" })
    .getByRole("button", { name: "Remove" })
    .click();
  await expect(page.getByText("weekly 20 removed")).toBeVisible();
  expect(await planOf(house, "weekly 20")).toBeUndefined();
});

test("a plan is changed for those who have it, and stays while somebody does", async ({ page, house }) => {
  const guest = await house.guest();
  const operator = await house.operator();
  const { accounts } = await operator.call("GET /operator/accounts");
  const account = accounts.find(({ email }) => email === guest.email)?.id ?? "";
  const plan = (await planOf(house, "monthly 50"))?.id ?? "";
  await operator.call("POST /operator/accounts/{id}/subscriptions", {
    params: { id: account },
    body: { plan, until: null },
  });
  await open(page);
  await expect(row(page, "monthly 50")).toContainText("1 account");
  await page.getByRole("button", { name: "More for monthly 50" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  const form = page.getByRole("dialog", { name: "Edit monthly 50" });
  await expect(form.getByLabel("Quota")).toHaveValue("50");
  await expect(form.getByRole("button", { name: "Save" })).toBeDisabled();
  await form.getByLabel("Quota").fill("60.5");
  await form.getByLabel("Name").fill("monthly more");
  await page.keyboard.press("Enter");
  await expect(page.getByText("monthly more saved")).toBeVisible();
  expect(await planOf(house, "monthly more")).toMatchObject({
    ...{ quota_usd: "60.50", window: "month", groups: ["team plan"] },
    holders: [{ email: guest.email, left_usd: "60.50" }],
  });
  await page.getByRole("button", { name: "More for monthly more" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await expect(page.getByText("1 account has it. End that subscription first.")).toBeVisible();
});

test("names stay text; the page fits a phone and speaks Chinese", async ({ page, house }) => {
  await open(page);
  await expect(page.getByText(`odd ${IMAGE}`)).toBeVisible();
  await expectAccessible(page, "plans");
  await row(page, "odd").getByText(IMAGE).click();
  await expect(page.getByRole("dialog").getByText("Nobody has it yet.")).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await page.locator("main img, [role=dialog] img").count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page, "a plan on a phone");
  await open(page);
  await expect(row(page, "monthly")).toBeVisible();
  await expectFits(page, "on a phone");
  const operator = await house.operator();
  await operator.call("PATCH /account", { body: { language: "zh" } });
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "套餐" })).toBeVisible();
  await operator.call("PATCH /account", { body: { language: "en" } });
});
