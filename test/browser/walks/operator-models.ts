import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import type { House } from "../house.ts";
import { expect, test } from "../stage.ts";
import { delay, expectFits } from "../steps.ts";
import { askModel } from "../visitor.ts";

/** Models and prices, as an operator changes them; each change is looked for at the API and at the gateway. */

const HOSTILE = "<img/src=x/onerror=window.hit=1>";
const FRESH = "fresh-model";

test.describe.configure({ timeout: 120_000 });

test.use({
  plan: {
    catalogue: {
      ...CATALOGUE,
      upstreams: [
        { name: "own demo", kind: "demo", models: [...CATALOGUE.upstreams[0].models, FRESH] },
        { name: `second <b onmouseover="window.hit=1">x</b>`, kind: "demo", models: ["gpt-5"] },
      ],
      models: [...CATALOGUE.models, { name: FRESH }, { name: HOSTILE, price: { input: 1, output: 2 } }],
      groups: [...CATALOGUE.groups, { name: "everything", models: ["*"] }],
    },
  },
});

const modelOf = async (house: House, name: string) => {
  const { models } = await (await house.operator()).call("GET /operator/models");
  const found = models.find(one => one.name === name);
  if (found === undefined) throw new Error(`there is no model ${name}`);
  return found;
};
const priceOf = async (house: House, name: string) => (await modelOf(house, name)).price;
const row = (page: Page, name: string): Locator =>
  page.getByRole("table", { name: "Models" }).getByRole("row").filter({ hasText: name });

async function open(page: Page, path = ""): Promise<void> {
  await page.goto(`/console/operator/models${path}`);
  await expect(page.getByRole("heading", { level: 1, name: "Models and prices" })).toBeVisible();
}

test.beforeEach(async ({ house, context }) => {
  await (await house.operator()).enter(context);
});

test("a price is changed in the list by keyboard alone, left by Esc, and taken back", async ({
  page,
  house,
}) => {
  // The first price is still on its way when the second is typed: neither is lost.
  await delay(page, "**/console/api/operator/models/*", 300, "PATCH");
  await open(page);
  const gpt = page.getByRole("button", { name: /^Input price of gpt-5:/ });
  await gpt.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("New Input price of gpt-5", { exact: true })).toBeFocused();
  await page.keyboard.type("2.5");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("New Cached price of gpt-5", { exact: true })).toBeFocused();
  await page.keyboard.type("0.2");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^Cached price of gpt-5: \$0\.20/ })).toBeFocused();
  await expect
    .poll(() => priceOf(house, "gpt-5"))
    .toMatchObject({ input: "2.5", cache_read: "0.2", output: "10" });
  // Esc leaves it, and so does what is no price.
  await page.keyboard.press("Enter");
  await page.keyboard.type("99");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /^Cached price of gpt-5: \$0\.20/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.type("1.1234567");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: "at most 6 decimals" })).toBeVisible();
  await page.keyboard.press("Escape");
  expect(await priceOf(house, "gpt-5")).toMatchObject({ cache_read: "0.2" });
  await page.getByRole("button", { name: /^Output price of gpt-5:/ }).click();
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  // Each of the three says which price it takes back.
  const saved = page.getByRole("listitem").filter({ hasText: "Output price of gpt-5 is $20.00 now" });
  await expect(saved).toBeVisible();
  expect(await priceOf(house, "gpt-5")).toMatchObject({ output: "20" });
  await saved.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Output price of gpt-5 is $10.00 again")).toBeVisible();
  expect(await priceOf(house, "gpt-5")).toMatchObject({ input: "2.5", cache_read: "0.2", output: "10" });
  const { entries } = await (await house.operator()).call("GET /operator/audit", {
    query: { noun: "model", name: "gpt-5" },
  });
  expect(entries[0]).toMatchObject({ action: "update", through: "console" });
});

test("what has no price stands first and red, is refused, and is answered at the price it then gets", async ({
  page,
  house,
}) => {
  const guest = await house.guest();
  const { string, key } = await guest.makeKey("asks", "everything");
  expect((await askModel(house.root, string, { model: FRESH })).status).toBeGreaterThanOrEqual(400);
  await open(page);
  await expect(page.getByText("1 model has no price")).toBeVisible();
  const first = page.getByRole("table", { name: "Models" }).getByRole("row").nth(1);
  await expect(first).toContainText(FRESH);
  await expect(first).toContainText("no price");
  await expectAccessible(page, "models, one without a price");
  // One of two prices is kept until the other is there.
  await page.getByRole("button", { name: `Input price of ${FRESH}: none. Set it` }).click();
  await page.keyboard.type("1");
  await page.keyboard.press("Enter");
  const output = page.getByLabel(`New Output price of ${FRESH}`);
  await expect(output).toBeFocused();
  expect(await priceOf(house, FRESH)).toBeNull();
  await page.keyboard.type("4");
  await page.keyboard.press("Enter");
  await expect.poll(() => priceOf(house, FRESH)).toMatchObject({ input: "1", output: "4", cache_read: "1" });
  await expect(page.getByText("1 model has no price")).toHaveCount(0);
  // Then by the call alone, through the whole form.
  await page.getByRole("button", { name: `More for ${FRESH}` }).click();
  await page.getByRole("menuitem", { name: "Edit price" }).click();
  const dialog = page.getByRole("dialog", { name: `Price of ${FRESH}` });
  await dialog.getByLabel("Input", { exact: true }).fill("0");
  await dialog.getByLabel("Output", { exact: true }).fill("0");
  await dialog.getByLabel("Each call").fill("0.25");
  await expect(dialog.getByText("No charged request in the last 7 days")).toBeVisible();
  await dialog.getByRole("button", { name: "Save price" }).click();
  await expect(dialog).toHaveCount(0);
  // A price reaches the gateway within a moment.
  await expect
    .poll(async () => {
      const answer = await askModel(house.root, string, { model: FRESH });
      await answer.text();
      expect(answer.status).toBe(200);
      return (await house.usage(key.id)).find(one => one.state === "settled")?.cost;
    })
    .toBe("0.25");
});

test("a whole price, what it would have meant, and its versions", async ({ page, house }) => {
  const guest = await house.guest();
  const { string } = await guest.makeKey("spends", "standard");
  for (let at = 0; at < 2; at += 1)
    await (await askModel(house.root, string, { model: "claude-sonnet-4-5" })).text();
  const { id } = await modelOf(house, "claude-sonnet-4-5");
  await open(page);
  await row(page, "claude-sonnet-4-5").getByText("claude-sonnet-4-5", { exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`model=${id}`));
  const panel = page.getByRole("dialog");
  await expect(panel.getByText("Cache write, 1 hour").first()).toBeVisible();
  await expect(panel.getByText("first price")).toBeVisible();
  await expectAccessible(page, "a model's panel");
  await panel.getByRole("button", { name: "Edit price" }).click();
  const dialog = page.getByRole("dialog", { name: "Price of claude-sonnet-4-5" });
  await expect(dialog.getByText("Change something above")).toBeVisible();
  await dialog.getByLabel("Input", { exact: true }).first().fill("6");
  await dialog.getByLabel("Output", { exact: true }).first().fill("30");
  await dialog.getByLabel("Cache read").first().fill("0.6");
  const whatIf = dialog.getByRole("region", { name: "What if" });
  await expect(whatIf.getByText("+100%").first()).toBeVisible();
  await expect(whatIf.getByText(guest.email)).toBeVisible();
  await whatIf.getByRole("radio", { name: "30 days" }).click();
  await whatIf.getByRole("radio", { name: "Model" }).click();
  await expect(whatIf.getByText("claude-sonnet-4-5")).toBeVisible();
  await dialog.getByRole("button", { name: "Add a long-context price" }).click();
  await dialog.getByRole("button", { name: "Save price" }).click();
  await expect(dialog.getByText("Enter at least one price for it.")).toBeVisible();
  await expectAccessible(page, "a price with what is missing");
  await dialog.getByLabel("Input", { exact: true }).last().fill("12");
  await dialog.getByRole("button", { name: "Save price" }).click();
  await expect(dialog).toHaveCount(0);
  expect(await priceOf(house, "claude-sonnet-4-5")).toMatchObject({
    ...{ input: "6", output: "30", cache_read: "0.6", cache_write_5m: "3.75", cache_write_1h: "6" },
    tiers: [{ above_tokens: 200_000, input: "12", output: "30", cache_read: "0.6" }],
  });
  await expect(panel.getByText("+100%").first()).toBeVisible();
  // One from a day to come is planned, and taken back.
  await panel.getByRole("button", { name: "Edit price" }).click();
  await dialog.getByLabel("Output", { exact: true }).first().fill("40");
  await dialog.getByLabel("Holds from").fill("2001-01-01T00:00");
  await expect(dialog.getByText("This time has passed.")).toBeVisible();
  await dialog.getByLabel("Holds from").fill("2099-12-31T12:00");
  await dialog.getByRole("button", { name: "Plan price" }).click();
  await expect(page.getByText("Price of claude-sonnet-4-5 planned")).toBeVisible();
  const operator = await house.operator();
  const history = () => operator.call("GET /operator/models/{id}/prices", { params: { id } });
  expect((await history()).planned).toMatchObject([
    { from: "2099-12-31T12:00:00.000Z", price: { output: "40" } },
  ]);
  expect(await priceOf(house, "claude-sonnet-4-5")).toMatchObject({ output: "30" });
  await panel.getByRole("button", { name: /^Take back the price from 31 Dec 2099/ }).click();
  await expect(page.getByText("Planned price of claude-sonnet-4-5 taken back")).toBeVisible();
  expect((await history()).planned).toEqual([]);
  await panel.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("dialog", { name: "About it" }).getByLabel("Longest output").fill("32000");
  await page.keyboard.press("Enter");
  await expect(panel.getByText("32,000")).toBeVisible();
  expect((await modelOf(house, "claude-sonnet-4-5")).max_output_tokens).toBe(32_000);
  await panel.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("cannot be removed while an upstream serves it: own demo")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/model=/);
});

test("a catalogue is compared and taken over in part, from a text and from a file", async ({
  page,
  house,
}) => {
  await page.goto("/console/operator/models?show=import");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /^A file or text/ }).click();
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog.getByText("Choose a file, or paste a text.")).toBeVisible();
  await dialog.getByLabel("Or paste it here").fill("models: 5");
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog.getByRole("alert").filter({ hasText: "This catalogue" })).toBeVisible();
  await expectAccessible(page, "import with a text that cannot be read");
  await dialog
    .getByLabel("Or paste it here")
    .fill(
      "models:\n  - { name: qwen3-coder, price: { input: 0.6, output: 1.2 } }\n  - { name: deepseek-v3.2, price: { input: 1, output: 2 } }\n  - { name: gpt-5-mini, price: { input: 0.25, output: 2 } }\n",
    );
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog.getByText("What would change")).toBeVisible();
  await expect(dialog.getByText("+100%").first()).toBeVisible();
  await expect(dialog.getByText("gpt-5-mini")).toHaveCount(0);
  await dialog.getByRole("checkbox", { name: "Take deepseek-v3.2" }).click();
  await expectAccessible(page, "a difference of prices");
  await dialog.getByRole("button", { name: "Take over 1 price" }).click();
  await expect(page.getByText("1 price changed")).toBeVisible();
  expect(await priceOf(house, "qwen3-coder")).toMatchObject({ input: "0.6" });
  expect(await priceOf(house, "deepseek-v3.2")).toMatchObject({ input: "0.28" });

  await page.getByRole("button", { name: "Import prices" }).click();
  await dialog.getByRole("radio", { name: /^A file or text/ }).click();
  await dialog.locator("input[type=file]").setInputFiles({
    name: "prices.json",
    mimeType: "application/json",
    buffer: Buffer.from(
      JSON.stringify({ models: [{ name: "deepseek-v3.2", price: { input: "0.5", output: "0.9" } }] }),
    ),
  });
  await expect(dialog.getByText("prices.json")).toBeVisible();
  await dialog.getByRole("button", { name: "Compare" }).click();
  await dialog.getByRole("button", { name: "Take over 1 price" }).click();
  await expect.poll(() => priceOf(house, "deepseek-v3.2")).toMatchObject({ input: "0.5", output: "0.9" });
  await page.getByRole("button", { name: "Import prices" }).click();
  await dialog.getByRole("button", { name: "Compare" }).click();
  await expect(dialog.getByText("Nothing would change")).toBeVisible();
});

test("a model is added and removed, filters stand in the address, and names stay text", async ({
  page,
  house,
}) => {
  await open(page);
  await page.getByRole("button", { name: "Add model" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("gpt-5");
  await dialog.getByRole("button", { name: "Add model" }).click();
  await expect(dialog.getByText("There is a model of this name already.")).toBeVisible();
  await dialog.getByLabel("Name", { exact: true }).fill("added-model");
  await dialog.getByLabel("Context, tokens").fill("128000");
  await dialog.getByLabel("Input", { exact: true }).fill("1.5");
  await dialog.getByRole("button", { name: "Add model" }).click();
  await expect(dialog.getByText("Enter a price, 0 where it is free.")).toBeVisible();
  await dialog.getByLabel("Output", { exact: true }).fill("6");
  await dialog.getByRole("button", { name: "Add model" }).click();
  await expect(page.getByText("added-model added")).toBeVisible();
  expect(await modelOf(house, "added-model")).toMatchObject({
    context_tokens: 128_000,
    price: { input: "1.5", output: "6", cache_read: "1.5" },
  });
  await page.getByRole("button", { name: /^State: all/ }).click();
  await page.getByRole("menuitem", { name: "not served" }).click();
  await expect(page).toHaveURL(/only=unserved/);
  await expect(row(page, "added-model")).toContainText("No upstream serves it");
  await expect(row(page, "gpt-5")).toHaveCount(0);
  await page.reload();
  await expect(row(page, "added-model")).toBeVisible();
  await page.getByRole("button", { name: "More for added-model" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("added-model removed")).toBeVisible();
  const { models } = await (await house.operator()).call("GET /operator/models");
  expect(models.map(({ name }) => name)).not.toContain("added-model");

  await open(page, "?q=onerror");
  await expect(page.getByText(HOSTILE).first()).toBeVisible();
  await row(page, HOSTILE).getByText(HOSTILE).first().click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await page.locator("main img, [role=dialog] img, main b[onmouseover]").count()).toBe(0);
});

test("on a phone and in Chinese", async ({ page, house }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await expect(row(page, "gpt-5-mini")).toBeVisible();
  await expectAccessible(page, "models on a phone");
  await expectFits(page, "on a phone");
  const operator = await house.operator();
  await operator.call("PATCH /account", { body: { language: "zh" } });
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "模型与价格" })).toBeVisible();
  await operator.call("PATCH /account", { body: { language: "en" } });
});
