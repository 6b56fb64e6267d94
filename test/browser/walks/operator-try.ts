import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { PASSWORD } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { expectFits } from "../steps.ts";

/** Try it: a real request from the page, in each dialect, with what it was charged; stopped, refused, asked again. */

const [IMAGE = ""] = PAYLOADS;
/** Half a minute of it. */
const SLOW = "slow-delay-100-tokens-300";

test.describe.configure({ timeout: 120_000 });

test.use({
  plan: {
    catalogue: {
      ...CATALOGUE,
      upstreams: [{ ...CATALOGUE.upstreams[0], models: [...CATALOGUE.upstreams[0].models, SLOW] }],
      models: [...CATALOGUE.models, { name: SLOW, price: { input: 1, output: 10 } }],
      groups: [...CATALOGUE.groups, { name: "slow", models: [SLOW] }],
    },
  },
});

const answerOf = (page: Page) => page.getByRole("region", { name: "Answer" });
const fact = (page: Page, name: string) =>
  answerOf(page).locator("dl > div").filter({ hasText: name }).locator("dd");

test("each dialect streams an answer, with the raw request and response, tokens and cost as booked", async ({
  page,
  house,
  holder,
}) => {
  await holder.makeKey("other", "economy");
  const { key, string } = await holder.makeKey("mine", "standard");
  await page.goto("/console/try");
  await page.getByLabel("Key").selectOption(key.id);
  await expect(page).toHaveURL(new RegExp(`key=${key.id}`));
  await page.getByLabel("Model").fill("gpt-5");
  await page.getByLabel("System prompt").fill("Be brief.");
  await page.getByLabel("Message").fill(`Say hello ${IMAGE}`);
  await page.getByLabel("Tokens at most").fill("40");
  await expectAccessible(page, "a request to try");
  const dialects = [
    { name: "Chat completions", path: "/v1/chat/completions", piece: '"delta":{' },
    { name: "Responses", path: "/v1/responses", piece: "response.output_text.delta" },
    { name: "Messages", path: "/v1/messages", piece: "content_block_delta" },
  ];
  for (const [at, { name, path, piece }] of dialects.entries()) {
    await page.getByRole("radio", { name }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await expect(answerOf(page).getByRole("status")).toHaveText("done");
    await expect(answerOf(page).getByRole("link", { name: "Receipt" })).toBeVisible();
    await page.getByRole("tab", { name: "Raw request" }).click();
    const request = answerOf(page).getByRole("tabpanel");
    await expect(request).toContainText(`POST ${path}`);
    await expect(request).toContainText(`curl ${house.root}${path}`);
    await expect(request).toContainText("Be brief.");
    await page.getByRole("tab", { name: "Raw response" }).click();
    await expect(answerOf(page).getByRole("tabpanel")).toContainText("HTTP 200");
    await expect(answerOf(page).getByRole("tabpanel")).toContainText(piece);
    expect(await page.content()).not.toContain(string);
    await page.getByRole("tab", { name: "Answer" }).click();
    const states = async () => (await house.usage(key.id)).map(({ state }) => state);
    await expect.poll(states).toEqual(Array.from({ length: at + 1 }, () => "settled"));
    const [line] = await house.usage(key.id);
    await expect(fact(page, "Status")).toHaveText("200");
    await expect(fact(page, "Tokens")).toHaveText(`${line?.input_tokens} in, ${line?.output_tokens} out`);
    await expect(fact(page, "Cost")).toHaveText(`$${line?.cost}`);
    expect(line).toMatchObject({ model: "gpt-5", status: 200 });
  }
  await expectAccessible(page, "an answer");
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  await answerOf(page).getByRole("link", { name: "Receipt" }).click();
  await expect(page).toHaveURL(/usage\?receipt=req_/);
  await expect(page.getByText("Charged to balance")).toBeVisible();
});

test("it is seen while it comes, stopping ends it, and a refusal is read", async ({
  page,
  house,
  holder,
}) => {
  const { key } = await holder.makeKey("slow", "slow");
  await page.goto("/console/try");
  await expect(page.getByLabel("Model")).toHaveValue(SLOW);
  await page.getByLabel("Message").fill("Take your time");
  // By the keyboard alone.
  await page.keyboard.press("Control+Enter");
  await expect(answerOf(page).getByRole("status")).toHaveText("answering");
  const said = () => answerOf(page).getByRole("tabpanel").innerText();
  await expect.poll(said).toMatch(/^Hello! You/);
  const before = await said();
  await expect.poll(async () => (await said()).length).toBeGreaterThan(before.length);
  expect((await said()).slice(0, before.length)).toBe(before);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(answerOf(page).getByRole("status")).toHaveText("stopped");
  await expect(answerOf(page).getByRole("link", { name: "Receipt" })).toBeVisible({ timeout: 12_000 });
  // And that was the only one: what stops must not send again.
  const states = async () => (await house.usage(key.id)).map(({ state }) => state);
  await expect.poll(states).toEqual(["settled"]);
  const [stopped] = await house.usage(key.id);
  // Not all of its 300 tokens came, and not all are charged.
  expect(stopped?.output_tokens).toBeLessThan(200);
  await expect(fact(page, "Cost")).toHaveText(`$${stopped?.cost}`);

  await page.getByRole("radio", { name: "JSON" }).click();
  await page.getByLabel("Request body").fill("{");
  await expect(page.getByText("This is not JSON")).toBeVisible();
  await page.getByLabel("Request body").fill(JSON.stringify({ model: IMAGE, messages: [] }));
  await page.getByRole("button", { name: "Send" }).click();
  await expect(answerOf(page).getByRole("status")).toHaveText("refused");
  await expect(answerOf(page).getByText(/^Refused with 4\d\d$/)).toBeVisible();
  await expectAccessible(page, "a refusal");
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await answerOf(page).locator("img").count()).toBe(0);
  await page.getByRole("radio", { name: "Form" }).click();
  await page.getByLabel("Message").fill("");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Write a message.")).toBeVisible();
});

test("a key without a sealed copy is told, and so is a house that keeps none", async ({
  page,
  house,
  holder,
}) => {
  const operator = await house.operator();
  const copies = (value: string | null) =>
    operator.call("PATCH /operator/settings", { body: { settings: { sealed_copies: value } } });
  await page.goto("/console/try");
  await expect(page.getByText("No key to try yet")).toBeVisible();
  await expectAccessible(page, "no key to try");
  await copies("off");
  const { key } = await holder.makeKey("unsealed", "standard");
  await page.reload();
  await expect(page.getByText("This installation keeps no copies of keys")).toBeVisible();
  await copies(null);
  await page.reload();
  await expect(page.getByText("None of your keys can be tried from here")).toBeVisible();
  await expect(page.getByRole("link", { name: "Go to API keys" })).toBeVisible();
  const body = JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: "Hello" }] });
  const refused = await holder.send("POST /try", { body: { key: key.id, dialect: "chat", body } });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("No copy of the string of “unsealed” is kept here");
  await holder.makeKey("sealed", "standard");
  await page.reload();
  const option = page.getByLabel("Key").locator("option", { hasText: "unsealed" });
  await expect(option).toHaveText("unsealed · no copy kept");
  await expect(option).toBeDisabled();
  await expect(page.getByLabel("Key").locator("option:checked")).toHaveText("sealed · standard");
});

test("on a phone, in Chinese, the answer comes into sight; who is there is asked again", async ({
  house,
  watch,
  database,
}) => {
  const guest = await house.guest();
  const { key } = await guest.makeKey("手机", "standard");
  const context = await watch.open({ viewport: { width: 390, height: 844 }, locale: "zh-CN" });
  await guest.enter(context);
  const page = await context.newPage();
  await page.goto("/console/try");
  await expect(page.getByRole("heading", { level: 1, name: "试用" })).toBeVisible();
  // Only there can the time be moved.
  if (database === "SQLite") {
    await house.letProofAge(guest.email);
    await page.getByRole("button", { name: "发送" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("未发送任何内容")).toBeVisible();
    expect(await house.usage(key.id)).toEqual([]);
    await page.getByRole("button", { name: "发送" }).click();
    await page.getByRole("dialog").getByLabel("密码", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
  } else await page.getByRole("button", { name: "发送" }).click();
  const receipt = page.getByRole("link", { name: "账单明细" });
  await expect(receipt).toBeVisible({ timeout: 12_000 });
  await expect(receipt).toBeInViewport();
  await expectAccessible(page, "an answer on a phone");
  await expectFits(page, "on a phone");
});
