import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { type House, OPERATOR } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { copiedText, expectFits } from "../steps.ts";

/** Automation: tokens do what their scope allows until they are ended, and the API can be read. */

const [IMAGE = "", SCRIPT = ""] = PAYLOADS;

test.describe.configure({ timeout: 120_000 });
// A house of its own: what others leave would be seen here.
test.use({ plan: { catalogue: CATALOGUE } });

const rows = (page: Page) => page.getByRole("table", { name: "Operator tokens" }).getByRole("row");

/** What a program with the token is answered. */
async function asProgram(house: House, token: string, method: "GET" | "POST") {
  const answer = await fetch(
    `${house.root}/console/api/operator/${method === "GET" ? "accounts" : "groups"}`,
    {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(method === "POST" ? { body: JSON.stringify({ name: "by a program", models: ["gpt-5"] }) } : {}),
    },
  );
  return { status: answer.status, text: await answer.text() };
}

/** Through the dialog; gives the string, copied. */
async function makeToken(page: Page, name: string, scope: RegExp): Promise<string> {
  await page.getByRole("button", { name: "Make a token" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Make an operator token" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("radio", { name: scope }).click();
  await dialog.getByRole("button", { name: "Make a token" }).click();
  const made = page.getByRole("dialog", { name: "Your token, this one time" });
  const string = await copiedText(page, made.getByRole("button", { name: "Copy token" }));
  await expectAccessible(page, "a token, once");
  await made.getByRole("button", { name: "Done" }).click();
  return string;
}

test("a token reads, may not change, and is refused from the moment it is ended", async ({
  page,
  house,
  context,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  await page.goto("/console/operator/tokens");
  await expect(page.getByText("No tokens yet")).toBeVisible();
  await page.getByRole("button", { name: "Make a token" }).first().click();
  const form = page.getByRole("dialog", { name: "Make an operator token" });
  await form.getByRole("button", { name: "Make a token" }).click();
  await expect(form.getByText("Enter a name.")).toBeVisible();
  await expectAccessible(page, "making a token");
  await page.keyboard.press("Escape");

  const reader = await makeToken(page, IMAGE, /^Read/);
  expect(reader).toMatch(/^wgo_\w{20,}$/);
  expect(await page.content()).not.toContain(reader);
  await page.reload();
  await expect(rows(page).filter({ hasText: IMAGE })).toContainText(OPERATOR);
  expect(await page.content()).not.toContain(reader);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await page.locator("main img").count()).toBe(0);
  const read = await asProgram(house, reader, "GET");
  expect(read.status).toBe(200);
  expect(read.text).toContain(OPERATOR);
  const refused = await asProgram(house, reader, "POST");
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("scope");
  const groups = async () => (await operator.call("GET /operator/groups")).groups.map(({ name }) => name);
  expect(await groups()).not.toContain("by a program");

  const writer = await makeToken(page, "writer", /^Write Also/);
  expect((await asProgram(house, writer, "POST")).status).toBe(200);
  expect(await groups()).toContain("by a program");
  await page.reload();
  await expect(rows(page).filter({ hasText: "writer" })).not.toContainText("never");
  await page.getByRole("button", { name: "End writer" }).click();
  const asks = page.getByRole("dialog", { name: "End writer?" });
  await expect(asks).toContainText("refused from the next call on");
  await expectAccessible(page, "ending a token");
  await asks.getByRole("button", { name: "End" }).click();
  await expect(page.getByText("writer ended")).toBeVisible();
  await expect(rows(page).filter({ hasText: "writer" })).toHaveCount(0);
  expect((await asProgram(house, writer, "GET")).status).toBe(401);
  expect((await asProgram(house, reader, "GET")).status).toBe(200);
  const { entries } = await operator.call("GET /operator/audit", { query: { noun: "token" } });
  expect(entries.map(({ name, action }) => [name, action])).toContainEqual([IMAGE, "create"]);
  expect(JSON.stringify(entries)).not.toContain(reader);
});

test("the API is found by search, with who may call it and its form", async ({ page, house, context }) => {
  await (await house.operator()).enter(context);
  await page.goto("/console/operator/tokens");
  await page.getByRole("link", { name: "Browse the API" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Console API" })).toBeVisible();
  await page.getByLabel("Find an endpoint").fill("balance post");
  await expect(page).toHaveURL(/q=balance/);
  const endpoint = page.getByRole("button", { name: /POST ?\/operator\/accounts\/\{id\}\/balance/ });
  await expect(page.getByRole("main").getByRole("button", { name: /^(GET|POST|PATCH|DELETE)/ })).toHaveCount(
    1,
  );
  await endpoint.click();
  await expect(page).toHaveURL(/call=POST/);
  const detail = page.getByRole("listitem").filter({ has: endpoint });
  await expect(detail).toContainText(
    "For operators who have proved again within a quarter of an hour who they are.",
  );
  await expect(detail).toContainText("takes an operator token");
  await expect(detail.getByRole("listitem").filter({ hasText: "amount_usd" })).toContainText("string");
  await expect(detail.getByRole("listitem").filter({ hasText: "reason" })).toContainText("1 ≤ length ≤ 500");
  await expect(detail.getByRole("listitem").filter({ hasText: "in the path" })).toContainText("id");
  await expect(detail).toContainText(
    `curl -X POST "${house.root}/console/api/operator/accounts/{id}/balance"`,
  );
  await page.reload();
  await expect(detail).toContainText("amount_usd");
  await expectAccessible(page, "an endpoint");

  await page.getByLabel("Find an endpoint").fill("account password");
  await page.getByRole("button", { name: /POST ?\/account\/password/ }).click();
  await expect(page.getByText("for people alone, no token")).toBeVisible();
  await page.getByLabel("Find an endpoint").fill(SCRIPT);
  await expect(page.getByText("No endpoint matches")).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expect(endpoint).toBeVisible();
  // Every one that the document has.
  const link = page.getByRole("link", { name: "OpenAPI document" });
  const answer = await page.request.get((await link.getAttribute("href")) ?? "");
  const { paths } = (await answer.json()) as { paths: Record<string, object> };
  const all = Object.values(paths).flatMap(operations => Object.keys(operations)).length;
  expect(all).toBeGreaterThan(60);
  await expect(page.getByRole("main").getByRole("button", { name: /^(GET|POST|PATCH|DELETE)/ })).toHaveCount(
    all,
  );
});

test("both pages in Chinese, on a phone, by the keyboard; and not for holders", async ({ house, watch }) => {
  const context = await watch.open({ viewport: { width: 390, height: 844 }, locale: "zh-CN" });
  await (await house.operator()).enter(context);
  const page = await context.newPage();
  await page.goto("/console/operator/tokens");
  await page.getByRole("button", { name: "创建令牌" }).first().focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("名称")).toBeFocused();
  await page.keyboard.type("手机");
  await expectAccessible(page, "making a token on a phone");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("令牌仅显示这一次")).toBeVisible();
  await dialog.getByRole("button", { name: "完成" }).click();
  await expect(page.getByText("手机", { exact: true })).toBeVisible();
  await expectFits(page, "on a phone");
  await page.goto("/console/operator/api?q=many&call=POST+%2Foperator%2Faccounts%2Fmany");
  await expect(page.getByText("amount_usd").first()).toBeVisible();
  await expectAccessible(page, "an endpoint on a phone");
  await expectFits(page, "on a phone");

  const guest = await house.guest();
  const other = await watch.open();
  await guest.enter(other);
  const theirs = await other.newPage();
  await theirs.goto("/console/operator/tokens");
  await expect(theirs.getByText("This page is for operators")).toBeVisible();
});
