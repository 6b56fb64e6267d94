import type { Page } from "@playwright/test";
import { CATALOGUE } from "../catalogue.ts";
import { makeCode } from "../furnish.ts";
import type { House } from "../house.ts";
import { FORMULAS, PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { navPaths } from "../steps.ts";
import { askModel, type Visitor } from "../visitor.ts";

/** Every stored field that somebody can set holds markup, script and formulas; every page that shows them shows text. */

const [IMAGE = "", SCRIPT = "", SVG = "", URL_ = "", TEMPLATE = "", FRAME = "", EVENT = "", LINK = ""] =
  PAYLOADS;
const MODEL = "<img/src=x/onerror=window.hit=1>";
const GROUP = `group ${SCRIPT}`.slice(0, 60);
const PLAN = `plan ${SVG}`;
const EMAIL = `"><img/src=x/onerror=window.hit=1>@example.org`;
const FORMULA = FORMULAS[0] ?? "";

// A house of its own, so that its names trouble no other test.
test.use({
  plan: {
    catalogue: {
      ...CATALOGUE,
      upstreams: [{ name: `upstream ${IMAGE}`, kind: "demo", models: [MODEL, URL_] }],
      models: [MODEL, URL_].map(name => ({ name, price: { input: 1, output: 1 } })),
      groups: [{ name: GROUP, models: [MODEL, URL_] }],
      plans: [{ name: PLAN, groups: [GROUP], quota: 10, window: "day" }],
    },
  },
});

/** Fields of the holder's own, of the operator's, and what clients send. */
async function plant(house: House, victim: Visitor): Promise<string> {
  const names = [...PAYLOADS, ...FORMULAS].map(name => name.slice(0, 100));
  const made = [];
  for (const name of names) made.push(await victim.makeKey(name));
  await victim.call("PATCH /account", { body: { name: IMAGE } });
  const [first] = made;
  const formula = made.find(({ key }) => key.name === FORMULA)?.string ?? "";
  await (await askModel(house.root, formula, { model: MODEL, agent: FORMULA })).text();
  const string = first?.string ?? "";
  for (const agent of [IMAGE, SCRIPT, EVENT, `${FORMULA}`, `=HYPERLINK("javascript:alert(1)")/1`]) {
    await (await askModel(house.root, string, { model: MODEL, agent })).text();
  }
  for (const model of [SVG, LINK, FRAME])
    await (await askModel(house.root, string, { model, agent: TEMPLATE })).text();
  await house.command(["account", "credit", victim.email, "1", "--reason", SCRIPT]);
  const code = await makeCode(house, "1", IMAGE);
  await victim.call("POST /account/redeem", { body: { code } });
  return first?.key.id ?? "";
}

async function expectNothingRan(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.mouse.move(400, 300);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(
    await page
      .locator("main img, main iframe, main script, main math, main [onerror], main [onload]")
      .count(),
  ).toBe(0);
  const hrefs = await page
    .locator("a[href]")
    .evaluateAll(links => links.map(link => link.getAttribute("href")));
  expect(hrefs.filter(href => /^\s*javascript:/i.test(href ?? ""))).toEqual([]);
}

test("nothing runs on any page, and no policy is broken", async ({ page, house, context }) => {
  test.setTimeout(90_000);
  const victim = await house.guest({ email: "victim@example.org" });
  const keyId = await plant(house, victim);
  await victim.enter(context);
  const other = house.visitor();
  other.agent = IMAGE;
  await other.call("POST /sign-in", {
    body: { email: victim.email, password: "a quiet wicket in the wall" },
  });
  const shows = ["use", "edit", "rotate", "delete", "import"].map(show => `keys?show=${show}&key=${keyId}`);
  const { rows } = await victim.call("GET /usage");
  const receipts = rows.slice(0, 5).map(({ id }) => `usage?receipt=${id}`);
  const paths = [
    ...[
      "keys",
      "keys?show=create",
      "keys?state=deleted",
      ...shows,
      "models",
      `models?model=${encodeURIComponent(MODEL)}`,
    ],
    ...[
      "usage",
      "usage?by=model",
      "usage?chart=requests&by=key",
      ...receipts,
      `usage?tool=${encodeURIComponent(IMAGE)}`,
    ],
    ...[
      "account",
      "account?tab=ledger",
      "account?tab=profile",
      "account?tab=security",
      "account?tab=sessions",
    ],
    ...["check", `check?model=${encodeURIComponent(SCRIPT)}`, `keys?q=${encodeURIComponent(IMAGE)}`],
  ];
  for (const path of paths) {
    await page.goto(`/console/${path}`);
    await expect(page.locator("h1")).toBeVisible();
    await expectNothingRan(page);
  }
  await page.goto("/console/keys");
  await expect(page.getByText(IMAGE, { exact: true }).first()).toBeVisible();
});

test("an operator's pages show it as text too", async ({ page, house, context }) => {
  test.setTimeout(120_000);
  const operator = await house.operator();
  const asked = await operator.send("POST /operator/invitations", { body: { email: EMAIL, role: "holder" } });
  // Refused or taken: what was taken is shown as text.
  expect([200, 400]).toContain(asked.status);
  await operator
    .call("POST /operator/invitations", { body: { email: "it's<b>bold</b>@example.org", role: "holder" } })
    .catch(() => null);
  await operator.enter(context);
  await page.goto("/console/operator/accounts");
  await expect(page.getByRole("table")).toContainText("operator@example.org");
  for (const path of await navPaths(page)) {
    await page.goto(path);
    await expect(page.locator("h1")).toBeVisible();
    await expectNothingRan(page);
  }
});

test("an export is harmless in a spreadsheet", async ({ house }) => {
  const victim = await house.guest();
  await plant(house, victim);
  const answer = await victim.send("GET /usage/export", { query: { format: "csv" } });
  expect(answer.headers.get("content-type")).toContain("text/csv");
  expect(answer.headers.get("content-disposition")).toContain("attachment");
  const text = await answer.text();
  expect(text.split("\n").length).toBeGreaterThan(8);
  // No cell begins with what starts a formula.
  const cells = [...text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,\r\n]*))/gm)].map(
    found => found[1] ?? found[2] ?? "",
  );
  expect(cells.filter(cell => /^[=@\t\r]|^[+-](?![\d.])/.test(cell))).toEqual([]);
  expect(cells).toContain(`'${FORMULA}`.replaceAll('"', '""'));
});
