import { startHouse } from "../house.ts";
import { type OperatorHouse, startOperatorHouse } from "../operator-house.ts";
import { type Scene, shootAll } from "../shooting.ts";
import { expect, test } from "../stage.ts";

/** Every page of an operator, and what opens on it. */

const SECRET = "sk-canary-0123456789abcdefghij";

const upstreamScenes = ({ fresh, ids }: OperatorHouse): readonly Scene[] => [
  { name: "overview", path: "operator/overview?range=month" },
  { name: "upstreams", path: "operator/upstreams" },
  { name: "upstream-health", path: `operator/upstreams?upstream=${ids.upstream}&part=health`, isPart: true },
  {
    name: "upstream-connect",
    path: "operator/upstreams?show=add",
    isPart: true,
    act: async page => {
      const dialog = page.getByRole("dialog");
      await dialog.locator("[data-preset]").filter({ hasText: "openai-compatible" }).click();
      await dialog.locator("[inputmode=url]").fill(fresh.baseUrl);
      await dialog.locator("input[type=password]").fill(SECRET);
      await page.keyboard.press("Enter");
      await expect(dialog.getByText("llama-3.3-70b").first()).toBeVisible();
      const prices = dialog.locator("input[inputmode=decimal]");
      for (const [at, price] of ["2", "8", "0.15", "0.6", "0.4", "0.4"].entries())
        await prices.nth(at).fill(price);
      await dialog.getByRole("checkbox").last().click();
    },
  },
];

const catalogueScenes = ({ ids }: OperatorHouse): readonly Scene[] => [
  { name: "prices", path: "operator/models" },
  { name: "price", path: `operator/models?model=${ids.model}`, isPart: true },
  {
    name: "price-import",
    path: "operator/models?show=import",
    isPart: true,
    act: async page => {
      const dialog = page.getByRole("dialog");
      await dialog.locator("button[type=submit]").click();
      await expect(dialog.getByRole("checkbox").first()).toBeVisible();
    },
  },
  { name: "groups", path: "operator/groups", isPart: true },
  {
    name: "group",
    path: `operator/groups?group=${ids.group}`,
    isPart: true,
    act: async page => {
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/^(Multiplier|倍率)$/).fill("1.1");
      await expect(dialog.getByText(/^[-−]\d+(\.\d)?%$/).first()).toBeVisible();
    },
  },
  { name: "plans", path: "operator/plans", isPart: true },
  { name: "plan", path: `operator/plans?plan=${ids.plan}`, isPart: true },
];

const peopleScenes = ({ ids }: OperatorHouse): readonly Scene[] => [
  { name: "accounts", path: "operator/accounts" },
  { name: "person", path: `operator/accounts?account=${ids.account}`, isPart: true },
  { name: "codes", path: "operator/codes", isPart: true },
  { name: "house-usage", path: "operator/usage?range=30d" },
  { name: "house-receipt", path: `operator/usage?range=30d&receipt=${ids.receipt}`, isPart: true },
];

const houseScenes = ({ ids }: OperatorHouse): readonly Scene[] => [
  { name: "settings", path: "operator/settings", isPart: true },
  ...["sign-in", "mail", "keys", "log"].map(
    (tab): Scene => ({ name: `settings-${tab}`, path: `operator/settings?tab=${tab}`, isPart: true }),
  ),
  { name: "webhooks", path: "operator/webhooks", isPart: true },
  {
    name: "deliveries",
    path: `operator/webhooks?webhook=${ids.webhook}`,
    isPart: true,
    act: async page => {
      await page.getByRole("dialog").locator("button[aria-expanded=false]").first().click();
    },
  },
  { name: "audit", path: "operator/audit", isPart: true },
  { name: "audit-entry", path: `operator/audit?entry=${ids.entry}`, isPart: true },
  { name: "tokens", path: "operator/tokens", isPart: true },
  {
    name: "api",
    path: `operator/api?q=usage&call=${encodeURIComponent("GET /operator/usage/names")}`,
    isPart: true,
  },
];

test("pictures of an operator's pages", async ({ browser }) => {
  const place = await startOperatorHouse();
  try {
    const scenes = [upstreamScenes, catalogueScenes, peopleScenes, houseScenes].flatMap(of => of(place));
    const { house, operator } = place;
    await shootAll(
      browser,
      scenes.map(scene => ({ root: house.root, scene, who: operator })),
    );
  } finally {
    await place.close();
  }
});

test("pictures of an empty house", async ({ browser }) => {
  const house = await startHouse();
  try {
    const scene: Scene = { name: "first-steps", path: "operator/overview", isPart: true };
    await shootAll(browser, [{ root: house.root, scene, who: await house.operator() }]);
  } finally {
    await house.stop();
  }
});
