import { CATALOGUE } from "../catalogue.ts";
import { type House, startHouse } from "../house.ts";
import { type Scene, shootAll } from "../shooting.ts";
import { expect, test } from "../stage.ts";
import { askModel, type Visitor } from "../visitor.ts";

/** Every page of a holder. */

const EMAIL = "ann@example.org";

type Place = { house: House; keyId: string; keyString: string };

const KEYS = [
  { name: "laptop · Claude Code", group: "standard" },
  { name: "desktop · Codex", group: "standard", quota: 60 },
  { name: "desktop · Cursor", group: "standard", requests_per_minute: 60, concurrency: 4 },
  { name: "CI runner", group: "economy", quota: 10, tokens_per_minute: 400_000, expires_at: soon(24) },
  { name: "phone · Chatbox", group: "economy" },
];

function soon(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
}

async function furnishedHouse(): Promise<{ place: Place; holder: Visitor }> {
  const catalogue = {
    ...CATALOGUE,
    accounts: [
      { email: EMAIL, balance: 180, subscriptions: [{ plan: "monthly 50", until: soon(200) }] },
      { email: "bo@example.org", balance: 12.5 },
      { email: "chen@example.org", balance: 40 },
    ],
    keys: KEYS.map(key => ({ account: EMAIL, ...key })),
  };
  const house = await startHouse({ catalogue, past: [EMAIL] });
  await house.operator();
  await expect.poll(() => house.log(), { timeout: 20_000 }).toContain("usage.summed_up");
  const holder = await house.resident(EMAIL);
  await holder.call("PATCH /account", { body: { name: "Ann", low_balance_usd: "20" } });
  const { keys } = await holder.call("GET /keys");
  const phone = keys.find(({ name }) => name.startsWith("phone"));
  await holder.call("POST /keys/{id}/disable", { params: { id: phone?.id ?? "" } });
  const made = await holder.makeKey("notebook · OpenCode", "economy");
  const agent = "opencode/1.18.0";
  await (await askModel(house.root, made.string, { model: "qwen3-coder", agent })).text();
  for (let at = 0; at < 6; at += 1)
    await (await askModel(house.root, made.string, { model: "qwen-coder", agent })).text();
  await (await askModel(house.root, made.string, { model: "deepseek-v3.2", agent })).text();
  return { place: { house, keyId: made.key.id, keyString: made.string }, holder };
}

const scenesOf = ({ house, keyId, keyString }: Place): readonly Scene[] => [
  { name: "keys", path: "keys" },
  {
    name: "create",
    path: "keys?show=create",
    act: async page => {
      await page.getByRole("dialog").getByRole("textbox").first().fill("laptop · OpenCode");
    },
  },
  { name: "use", path: `keys?show=use&client=claude-code&key=${keyId}` },
  { name: "models", path: "models" },
  { name: "usage", path: "usage?range=30d" },
  {
    name: "receipt",
    path: "usage?range=30d",
    act: async page => {
      await page.getByRole("row").filter({ hasText: "claude-sonnet-4-5" }).first().click();
      await expect(page).toHaveURL(/receipt=/);
    },
  },
  {
    name: "check",
    path: "check",
    act: async page => {
      const inputs = page.locator("main form input:visible");
      await inputs.and(page.locator("[inputmode=url]")).fill(`${house.root}/v1`);
      await inputs.and(page.locator("[placeholder^=wgk]")).fill(keyString);
      await inputs.and(page.locator("[list]")).fill("claude-sonnet-4-5");
      await page.locator("main button[type=submit]").click();
      const wrong = page.locator("main ol > li:has(p.text-bad)").first();
      await expect(wrong).toBeVisible();
      await wrong.evaluate(element => element.scrollIntoView({ block: "center" }));
    },
  },
  {
    name: "try",
    path: `try?key=${keyId}&model=qwen3-coder`,
    act: async page => {
      await page.locator("main textarea").nth(1).fill("What is a wicket gate?");
      const answered = page.waitForResponse(/\/api\/try$/);
      await page.locator("main button[type=submit]").click();
      await (await answered).finished();
      await expect(page.locator("main button[type=submit]")).toBeVisible();
    },
  },
  { name: "account", path: "account" },
  { name: "security", path: "account?tab=security" },
];

test("pictures of a holder's pages", async ({ browser }) => {
  const { place, holder } = await furnishedHouse();
  const { root } = place.house;
  try {
    await shootAll(browser, [
      { root, scene: { name: "sign-in", path: "sign-in" }, who: null },
      ...scenesOf(place).map(scene => ({ root, scene, who: holder })),
    ]);
  } finally {
    await place.house.stop();
  }
});
