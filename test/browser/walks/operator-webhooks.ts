import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { copiedText, expectFits } from "../steps.ts";
import { type Receiver, signatureOf, startReceiver } from "../webhook-receiver.ts";

/** Webhooks: made, told of what happens, tried again, changed and removed. */

const [IMAGE = "", SCRIPT = ""] = PAYLOADS;

test.describe.configure({ timeout: 60_000 });
test.use({ plan: { env: { WICKETGATE_PRIVATE_UPSTREAMS: "127.0.0.1" } } });

let receiver: Receiver;
test.beforeEach(async () => {
  receiver = await startReceiver();
});
test.afterEach(() => receiver.close());

const dialogOf = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });

/** Through the dialog; gives the secret, copied. */
async function addWebhook(page: Page, { name, url }: { name: string; url: string }): Promise<string> {
  await page.getByRole("button", { name: "Add a webhook" }).first().click();
  const dialog = dialogOf(page, "Add a webhook");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Address").fill(url);
  await dialog.getByRole("button", { name: "Add a webhook" }).click();
  const made = dialogOf(page, "The signing secret, this one time");
  await expect(made.getByText(/^whsec_/)).toBeVisible();
  const secret = await copiedText(page, made.getByRole("button", { name: "Copy signing secret" }));
  await made.getByRole("button", { name: "Done" }).click();
  return secret;
}

async function openPanel(page: Page, name: string): Promise<Locator> {
  await page.getByRole("row").filter({ hasText: name }).getByText(name, { exact: true }).click();
  const panel = page.getByRole("dialog", { name });
  await expect(panel).toBeVisible();
  return panel;
}

test("one that is made is told of a new key, signed with the secret that was shown once", async ({
  page,
  house,
  context,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  await page.goto("/console/operator/webhooks");
  await expectAccessible(page, "webhooks");
  await page.getByRole("button", { name: "Add a webhook" }).first().click();
  const dialog = dialogOf(page, "Add a webhook");
  await dialog.getByRole("button", { name: "Add a webhook" }).click();
  await expect(dialog.getByText("Enter a name.")).toBeVisible();
  await dialog.getByLabel("Name").fill("somewhere");
  await dialog.getByLabel("Address").fill("http://example.org/hook");
  await dialog.getByRole("button", { name: "Add a webhook" }).click();
  await expect(dialog.getByText("The address must begin with https://")).toBeVisible();
  await expectAccessible(page, "adding a webhook");
  await page.keyboard.press("Escape");

  const secret = await addWebhook(page, { name: "chat room", url: receiver.url });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const guest = await house.guest();
  const { key } = await guest.makeKey("a new key");
  await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBe(1);
  const [first] = receiver.received;
  if (first === undefined) throw new Error("nothing was received");
  expect(first.headers["webhook-signature"]).toBe(signatureOf(first, secret));
  expect(JSON.parse(first.body)).toMatchObject({ type: "key.created" });
  expect(first.body).toContain(key.id);

  const panel = await openPanel(page, "chat room");
  await expect(page).toHaveURL(/webhook=whk_/);
  const delivery = panel.getByRole("button", { name: /^A key was made/ });
  await expect(delivery).toContainText("A key was made", { timeout: 15_000 });
  await expect(delivery).toContainText("delivered");
  await delivery.click();
  await expect(panel.locator("pre")).toContainText(key.id);
  await expectAccessible(page, "deliveries");
  expect(await page.content()).not.toContain(secret);

  await panel.getByRole("button", { name: /^Send again: dlv_/ }).click();
  await expect(page.getByText("It arrived: 200")).toBeVisible();
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(receiver.received[1]?.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/webhook=/);
});

test("a receiver that fails is seen failing, and what it says is text", async ({ page, house, context }) => {
  await (await house.operator()).enter(context);
  await page.goto("/console/operator/webhooks");
  receiver.answer(500, SCRIPT);
  await addWebhook(page, { name: IMAGE, url: receiver.url });
  const panel = await openPanel(page, IMAGE);
  await panel.getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByText(/The test did not arrive: The receiver fails \(500/)).toBeVisible();
  await expect(panel.getByText("given up").last()).toBeVisible();
  const guest = await house.guest();
  await guest.makeKey("while it fails");
  const waiting = panel.getByRole("button", { name: /^A key was made/ });
  await expect(waiting).toContainText("waiting", { timeout: 15_000 });
  await expect(waiting).toContainText("answered 500", { timeout: 15_000 });
  await expect(waiting).toContainText("next try");
  await expect(waiting).toContainText(`and says: ${SCRIPT}`);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);

  await panel.getByRole("radio", { name: "given up" }).click();
  await expect(page).toHaveURL(/state=given_up/);
  await expect(waiting).toHaveCount(0);
  await panel.getByRole("radio", { name: "waiting" }).click();
  await expect(waiting).toBeVisible();
  receiver.answer(204);
  await waiting.click();
  await panel.getByRole("button", { name: /^Send again: dlv_/ }).click();
  await expect(page.getByText("It arrived: 204")).toBeVisible();
  await expect(waiting).toHaveCount(0);
  await panel.getByRole("radio", { name: "delivered" }).click();
  await expect(waiting).toContainText("delivered");
});

test("changing, pausing, a new secret and removing", async ({ page, house, context }) => {
  await (await house.operator()).enter(context);
  await page.goto("/console/operator/webhooks");
  const old = await addWebhook(page, { name: "first name", url: receiver.url });
  const panel = await openPanel(page, "first name");
  await panel.getByRole("button", { name: "Edit" }).click();
  const edit = dialogOf(page, "Edit first name");
  await edit.getByLabel("Name").fill("second name");
  await edit.getByRole("checkbox", { name: /A key was made/ }).click();
  await edit.getByRole("button", { name: "Save" }).click();
  const renamed = page.getByRole("dialog", { name: "second name" });
  await expect(renamed.getByRole("listitem").filter({ hasText: "A key was deleted" })).toBeVisible();
  await expect(renamed.getByRole("listitem").filter({ hasText: "A key was made" })).toHaveCount(0);

  await renamed.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("second name paused")).toBeVisible();
  await expect(renamed.getByText("paused", { exact: true })).toBeVisible();
  const guest = await house.guest();
  const { key } = await guest.makeKey("short-lived");
  await guest.call("DELETE /keys/{id}", { params: { id: key.id } });
  await renamed.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("second name resumed")).toBeVisible();

  await renamed.getByRole("button", { name: "More for second name" }).click();
  await page.getByRole("menuitem", { name: "New secret" }).click();
  await dialogOf(page, "A new secret for second name?").getByRole("button", { name: "New secret" }).click();
  const made = dialogOf(page, "The signing secret, this one time");
  await expect(made.getByText(/^whsec_/)).toBeVisible();
  await expectAccessible(page, "a secret, once");
  const fresh = await copiedText(page, made.getByRole("button", { name: "Copy signing secret" }));
  expect(fresh).not.toBe(old);
  await made.getByRole("button", { name: "Done" }).click();
  await expect(renamed.getByText(/^Messages are signed with the old secret as well, until /)).toBeVisible();
  await renamed.getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByText("The test arrived: 200")).toBeVisible();
  // Nothing of the time when it was paused.
  expect(receiver.received).toHaveLength(1);
  const [test_] = receiver.received;
  if (test_ === undefined) throw new Error("nothing was received");
  const both = [fresh, old].map(secret => signatureOf(test_, secret));
  expect(test_.headers["webhook-signature"]).toBe(both.join(" "));

  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More for second name" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await dialogOf(page, "Remove second name?").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("second name removed")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "second name" })).toHaveCount(0);
});

test("by the keyboard, in Chinese, on a phone; and not for holders", async ({ house, watch }) => {
  const operator = await house.operator();
  const context = await watch.open({ viewport: { width: 390, height: 844 }, locale: "zh-CN" });
  await operator.enter(context);
  const page = await context.newPage();
  await page.goto("/console/operator/webhooks");
  await expect(page.getByRole("heading", { level: 1, name: "Webhook" })).toBeVisible();
  await page.getByRole("button", { name: "添加 Webhook" }).first().focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("名称")).toBeFocused();
  await page.keyboard.type("手机");
  await page.keyboard.press("Tab");
  await page.keyboard.type(receiver.url);
  await expectAccessible(page, "adding a webhook on a phone");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("签名密钥仅显示这一次")).toBeVisible();
  await dialog.getByRole("button", { name: "完成" }).click();
  await expect(page.getByText("手机", { exact: true })).toBeVisible();
  await expectFits(page, "on a phone");

  const guest = await house.guest();
  const other = await watch.open();
  await guest.enter(other);
  const theirs = await other.newPage();
  await theirs.goto("/console/operator/webhooks");
  await expect(theirs.getByText("This page is for operators")).toBeVisible();
  await expect(theirs.getByText(receiver.url)).toHaveCount(0);
});
