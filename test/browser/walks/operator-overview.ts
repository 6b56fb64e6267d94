import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import type { House } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect } from "../stage.ts";
import { expectFits } from "../steps.ts";
import { PRICE, test } from "../upstream-steps.ts";
import { askModel, type Visitor } from "../visitor.ts";

/** The house at a glance: what it says is what the API says, it goes on by itself, and every entry leads somewhere. */

const [IMAGE = "", SCRIPT = ""] = PAYLOADS;

test.use({
  plan: {
    catalogue: { ...CATALOGUE, groups: [...CATALOGUE.groups, { name: "everything", models: ["*"] }] },
  },
});

test.describe.configure({ timeout: 120_000 });

const stat = (page: Page, name: string) =>
  page
    .getByRole("term")
    .filter({ hasText: new RegExp(`^${name}$`) })
    .locator("xpath=following-sibling::dd");
const attention = (page: Page) => page.getByRole("region", { name: "Needs attention" });
const heading = (page: Page) =>
  expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();

test("figures are those of the API, go on by themselves, and rest in a hidden tab", async ({
  page,
  house,
  operator,
}) => {
  const guest = await house.guest({ email: "busy@example.org" });
  const { string } = await guest.makeKey("busy key", "standard");
  const ask = async (model: string) => (await askModel(house.root, string, { model })).text();
  for (let times = 0; times < 3; times += 1) await ask("gpt-5");
  await ask("no-such-model");
  const seen = () => operator.call("GET /operator/overview", { query: { range: "day" } });
  await expect.poll(async () => (await seen()).totals.requests).toBe(4);
  await page.goto("/console/");
  await expect(page).toHaveURL(/\/console\/keys$/);
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await heading(page);
  const { totals } = await seen();
  expect(totals).toMatchObject({ requests: 4, refused: 1, failed: 0 });
  await expect(stat(page, "Requests")).toContainText("4");
  await expect(stat(page, "Charged")).toContainText(`$${Number(totals.revenue_usd).toFixed(4)}`);
  await expect(stat(page, "Our cost")).toContainText("$");
  await expect(stat(page, "Error rate")).toContainText("0 failed · 1 refused");
  await expect(stat(page, "Running now")).toContainText("1 instance");
  await expect(page.getByRole("table", { name: "Upstreams" }).getByRole("row").nth(1)).toContainText(
    "healthy",
  );

  await ask("gpt-5");
  await expect(stat(page, "Requests")).toContainText("5", { timeout: 12_000 });

  let asked = 0;
  page.on("request", request => {
    if (request.url().includes("/operator/overview")) asked += 1;
  });
  const show = (state: "hidden" | "visible") =>
    page.evaluate(value => {
      Object.defineProperty(document, "visibilityState", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await show("hidden");
  // What was on its way is let through.
  await page.waitForTimeout(500);
  asked = 0;
  await page.waitForTimeout(7_000);
  expect(asked).toBe(0);
  await show("visible");
  await expect.poll(() => asked, { timeout: 12_000 }).toBeGreaterThan(1);
});

type Among = { house: House; operator: Visitor; guest: Visitor; name: string };

/** A key of this name that has been used, and that the overview knows of. */
async function amongTheTop({ house, operator, guest, name }: Among): Promise<{ id: string }> {
  const { key, string } = await guest.makeKey(name, "standard");
  await (await askModel(house.root, string, { model: "claude-sonnet-4-5" })).text();
  const topKeys = async () => {
    const { top_keys: keys } = await operator.call("GET /operator/overview", { query: { range: "week" } });
    return keys.map(({ id }) => id);
  };
  await expect.poll(topKeys).toContain(key.id);
  return key;
}

test("the time is in the address, charts are tables too, and the top leads to usage", async ({
  page,
  house,
  operator,
}) => {
  const guest = await house.guest({ email: "top@example.org" });
  const key = await amongTheTop({ house, operator, guest, name: `top ${IMAGE}`.slice(0, 60) });
  await page.goto("/console/operator/overview");
  await page.getByRole("radio", { name: "7 days" }).click();
  await expect(page).toHaveURL(/range=week/);
  await page.reload();
  await expect(page.getByRole("radio", { name: "7 days" })).toBeChecked();
  await page.getByRole("radio", { name: "7 days" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/range=month/);
  await page.getByRole("button", { name: "Requests: Show as a table" }).click();
  const table = page.getByRole("region", { name: "Requests", exact: true }).getByRole("table");
  await expect(table.getByRole("row")).toHaveCount(31);
  await expect(table.getByRole("row").last()).toContainText(/[1-9]/);
  await expectAccessible(page, "overview with tables");
  await page.getByRole("button", { name: "Requests: Show as a chart" }).click();
  await page.getByRole("slider", { name: /^Charged and our cost/ }).focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("slider", { name: /^Charged and our cost/ })).toHaveAttribute(
    "aria-valuetext",
    /\$0\.0000/,
  );
  const link = page.getByRole("link", { name: `top ${IMAGE}`.slice(0, 60) });
  await expect(link).toHaveAttribute("href", new RegExp(`/operator/usage\\?range=30d&key=${key.id}`));
  await expect(page.getByRole("link", { name: "top@example.org" })).toHaveAttribute("href", /account=acc_/);
  await expect(page.getByRole("link", { name: "claude-sonnet-4-5" })).toHaveAttribute(
    "href",
    /model=claude-sonnet-4-5/,
  );
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  await link.click();
  await expect(page).toHaveURL(/\/operator\/usage/);
});

test("what needs attention says what to do, and leads to where it is mended", async ({
  page,
  house,
  operator,
  provide,
}) => {
  const provider = await provide(["flaky", "dear"]);
  const made = await operator.call("POST /operator/upstreams", {
    body: {
      ...{ name: `up ${SCRIPT}`, kind: "openai-compatible", base_url: provider.baseUrl, api_key: "sk-1" },
      models: [
        { model: "flaky", upstream_model: "flaky", price: PRICE },
        { model: "dear", upstream_model: "dear" },
      ],
    },
  });
  const poor = await house.guest({ email: "poor@example.org", balance: "0.5" });
  const { string } = await poor.makeKey("last cents", "everything");
  await expect
    .poll(async () => {
      const answer = await askModel(house.root, string, { model: "flaky" });
      await answer.arrayBuffer();
      return answer.status;
    })
    .toBe(200);
  provider.fail(500);
  await expect
    .poll(
      async () => {
        await (await askModel(house.root, string, { model: "flaky" })).arrayBuffer();
        const { attention: found } = await operator.call("GET /operator/overview", {
          query: { range: "day" },
        });
        return found.map(({ kind }) => kind);
      },
      { timeout: 20_000 },
    )
    .toContain("breaker_open");
  await page.goto("/console/operator/overview");
  const entry = (text: string | RegExp) => attention(page).getByRole("listitem").filter({ hasText: text });
  await expect(entry("dear has no price")).toContainText("refused until it has one");
  await expect(entry("No upstream serves retired-model")).toBeVisible();
  await expect(entry("poor@example.org has $0.")).toBeVisible();
  await expect(entry("rests for flaky")).toContainText(/since .*(sec|now|min)/);
  await expectAccessible(page, "overview with what needs attention");
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await page.locator("main img, main iframe, main script, main [onerror]").count()).toBe(0);

  await entry("poor@example.org has $0.").getByRole("link", { name: "See accounts" }).click();
  await expect(page).toHaveURL(/\/operator\/accounts\?account=acc_/);
  await page.goBack();
  await entry("dear has no price").getByRole("link", { name: "Set a price" }).click();
  await expect(page).toHaveURL(/\/operator\/models\?q=dear/);
  await page.goBack();
  await entry("rests for flaky").getByRole("link", { name: "See its health" }).click();
  await expect(page).toHaveURL(new RegExp(`upstream=${made.id}&part=health`));
  await expect(page.getByRole("dialog").getByText("It rests")).toBeVisible();
  provider.mend();
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await expect(page.getByRole("dialog").getByText("It rests")).toHaveCount(0);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await heading(page);
  await expect(entry("dear has no price")).toBeVisible();
  await expect(entry("rests for flaky")).toHaveCount(0);
  await page.getByRole("row").filter({ hasText: SCRIPT }).click();
  await expect(page).toHaveURL(/\/operator\/upstreams\?upstream=ups_/);
  await operator.call("DELETE /operator/upstreams/{id}", { params: { id: made.id } });
});

test("on a phone, in Chinese and in the dark it is whole too", async ({ house, operator, watch }) => {
  const context = await watch.open({
    ...{ viewport: { width: 390, height: 844 }, locale: "zh-CN", colorScheme: "dark" },
  });
  await operator.enter(context);
  const page = await context.newPage();
  const name = "a name that is longer than any list of a phone is wide";
  await amongTheTop({ house, operator, guest: await house.guest(), name });
  for (const path of ["", "?range=year"]) {
    await page.goto(`${house.root}/console/operator/overview${path}`);
    await expect(page.getByRole("heading", { level: 1, name: "总览" })).toBeVisible();
    await expect(page.getByRole("table").first()).toBeVisible();
    await expect(page.getByRole("link", { name })).toBeVisible();
    await expectAccessible(page, `overview${path} on a phone`);
    await expectFits(page, path);
  }
});

test("a server that is away is told, and the figures stay", async ({ page, operator }) => {
  expect(operator.email).toBe("");
  await page.goto("/console/operator/overview");
  await expect(stat(page, "Requests")).toContainText(/\d/);
  await page.route("**/console/api/operator/overview*", route => route.abort());
  await expect(page.getByText(/Not up to date: the server does not answer/)).toBeVisible({ timeout: 20_000 });
  await expect(stat(page, "Requests")).toContainText(/\d/);
  await page.unroute("**/console/api/operator/overview*");
  await expect(page.getByText("Live", { exact: true })).toBeVisible({ timeout: 20_000 });
});

test("a holder sees nothing of it", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/operator/overview");
  await expect(page.getByText("This page is for operators")).toBeVisible();
  await expect(page.getByText("own demo")).toHaveCount(0);
});
