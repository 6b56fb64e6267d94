import type { Locator, Page } from "@playwright/test";
import { firstIdAt } from "../../../src/domain/id-time.ts";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import type { House } from "../house.ts";
import { expect, test } from "../stage.ts";
import { expectFits } from "../steps.ts";
import type { Visitor } from "../visitor.ts";

/** A house that keeps single requests for a week, and an account that has asked for five. */

const EMAIL = "ann@example.org";
const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

test.describe.configure({ timeout: 60_000 });
test.use({
  plan: {
    env: { WICKETGATE_USAGE_DAYS: String(KEPT_DAYS) },
    past: [EMAIL],
    catalogue: {
      ...CATALOGUE,
      accounts: [{ email: EMAIL, balance: 100 }],
      keys: [{ account: EMAIL, name: "CI runner", group: "economy" }],
    },
  },
});

const keptFromMs = () => (Math.floor(Date.now() / DAY_MS) - KEPT_DAYS) * DAY_MS;

/** When what is older is gone. */
async function holderOf(house: House): Promise<Visitor> {
  const holder = await house.resident(EMAIL);
  await expect
    .poll(async () => Date.parse((await holder.call("GET /usage")).kept_from ?? ""), { timeout: 30_000 })
    .toBe(keptFromMs());
  return holder;
}

/** Down the list, which brings the next page by itself, to what stands at its end. */
async function readOnTo(page: Page, end: Locator): Promise<void> {
  const scrolled = async () => {
    await page.mouse.wheel(0, 100_000);
    await expect(end).toBeVisible({ timeout: 250 });
  };
  await expect(scrolled).toPass({ timeout: 20_000 });
}

test("where single requests are kept for a while, the list says where it ends, and a receipt that it is too old", async ({
  page,
  house,
  context,
}) => {
  const holder = await holderOf(house);
  await holder.enter(context);

  await page.goto("/console/usage?range=30d");
  const day = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });
  const end = page.getByText(/^That is all that is kept: single requests from before /);
  await readOnTo(page, end);
  await expect(end).toContainText(day.format(keptFromMs()));
  const requestsSince = async (fromMs: number) => {
    const query = { from: new Date(fromMs).toISOString() };
    return (await holder.call("GET /usage/summary", { query })).totals.requests;
  };
  const kept = await requestsSince(keptFromMs());
  expect(kept).toBeGreaterThan(0);
  expect(await requestsSince(keptFromMs() - 20 * DAY_MS)).toBeGreaterThan(kept);
  await expectAccessible(page, "usage, of which a part is kept");

  // Nothing is missing from the last days, so nothing is said there.
  await page.goto("/console/usage?range=7d");
  const whole = page.getByText("That is all of this range.");
  await readOnTo(page, whole);
  await expect(end).toHaveCount(0);

  const old = firstIdAt("req", Date.now() - 20 * DAY_MS);
  await page.goto(`/console/usage?receipt=${old}`);
  const receipt = page.getByRole("dialog");
  const iso = new Date(keptFromMs()).toISOString().slice(0, 10);
  await expect(receipt).toContainText(`single requests from before ${iso} 00:00 UTC are not kept here.`);
  await expect(receipt).toContainText("still in the ledger and in the charts");
  const never = firstIdAt("req", Date.now());
  await page.goto(`/console/usage?receipt=${never}`);
  await expect(receipt).toContainText("No such request");
  await expect(receipt).not.toContainText("too old");
});

test("in Chinese, on a phone", async ({ house, watch }) => {
  const holder = await holderOf(house);
  const context = await watch.open({ viewport: { width: 390, height: 844 }, locale: "zh-CN" });
  await holder.enter(context);
  const page = await context.newPage();
  await page.goto(`/console/usage?receipt=${firstIdAt("req", Date.now() - 20 * DAY_MS)}`);
  await expect(page.getByRole("dialog")).toContainText("该请求已过期");
  await expectFits(page, "a receipt that is too old");
  await page.goto("/console/usage?range=30d");
  const end = page.getByText(/^以上是保留的全部记录/);
  await readOnTo(page, end);
  await expectFits(page, "usage, of which a part is kept");
});
