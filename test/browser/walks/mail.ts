import type { Page } from "@playwright/test";
import { type Received, type SmtpServer, startSmtp, textOf } from "../../smtp-server.ts";
import { expectAccessible } from "../axe.ts";
import { type House, PASSWORD } from "../house.ts";
import { expect, test } from "../stage.ts";
import { expectFits, signIn } from "../steps.ts";

/** Links by e-mail, with a mail server beside the house. */

let smtp: SmtpServer;
test.beforeEach(async ({ house }) => {
  smtp = await startSmtp({ security: "none" });
  await setUp(house, {
    smtp_host: "127.0.0.1",
    smtp_port: String(smtp.port),
    smtp_from: "house@example.org",
  });
});
test.afterEach(async ({ house }) => {
  smtp.close();
  await setUp(house, { smtp_host: null, smtp_port: null, smtp_from: null });
});

async function setUp(house: House, settings: Record<string, string | null>): Promise<void> {
  const security = settings["smtp_host"] === null ? null : "none";
  const operator = await house.operator();
  const body = { settings: { ...settings, smtp_security: security } };
  await operator.call("PATCH /operator/settings", { body });
}

async function arrived(to: string): Promise<Received> {
  await expect.poll(() => smtp.mails.some(mail => mail.to.includes(to))).toBe(true);
  const mail = smtp.mails.findLast(one => one.to.includes(to));
  if (mail === undefined) throw new Error(`no mail came to ${to}`);
  return mail;
}

const linkIn = (mail: Received) => /http\S+#[\w-]+/.exec(textOf(mail))?.[0] ?? "";
const heading = (page: Page, name: string) =>
  expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();

test("whoever has forgotten their password gets a link by mail, and back in with it", async ({
  page,
  house,
}) => {
  const { email } = await house.guest();
  await page.goto("/console/sign-in");
  await page.getByRole("link", { name: "Forgot the password?" }).click();
  await heading(page, "Set a new password");
  expect(new URL(page.url()).search).toBe("?forgot=true");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Enter your e-mail.")).toBeVisible();
  await expectAccessible(page, "forgot, with what is missing");
  await page.getByLabel("E-mail").fill(email);
  await page.keyboard.press("Enter");
  await expect(page.getByText(`If there is an account with ${email} here`)).toBeVisible();
  await expectAccessible(page, "forgot, asked");
  const link = linkIn(await arrived(email));
  await page.goto(link);
  await page.getByLabel("New password").fill("another quiet wicket");
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await heading(page, "API keys");
  await page.context().clearCookies();
  await page.goto("/console/sign-in?forgot=true");
  await page.getByRole("link", { name: "Back to sign in" }).click();
  await signIn(page, email, PASSWORD);
  await expect(page.getByRole("alert")).toHaveText("This e-mail and password do not belong together here.");
});

test("the page is in Chinese and fits a phone", async ({ watch }) => {
  const context = await watch.open({ locale: "zh-CN", viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto("/console/sign-in?forgot=true");
  await heading(page, "设置新密码");
  await page.getByRole("button", { name: "发送链接" }).click();
  await expect(page.getByText("请输入邮箱。")).toBeVisible();
  await expectFits(page, "on a phone");
});

test("an invitation and a reset link go out where the box is ticked, and a refusal says what to change", async ({
  page,
  house,
}) => {
  const operator = await house.operator();
  await operator.enter(page.context());
  await page.goto("/console/operator/accounts");
  const dialog = page.getByRole("dialog");
  const invite = async (email: string) => {
    await page.getByRole("button", { name: "Invite" }).first().click();
    await dialog.getByLabel("E-mail").first().fill(email);
    await dialog.getByRole("checkbox", { name: /Send the link by e-mail/ }).click();
    await dialog.getByRole("button", { name: "Make link" }).click();
  };
  await invite("mailed@example.org");
  await expect(dialog.getByText("Sent to mailed@example.org")).toBeVisible();
  await expectAccessible(page, "a link that was mailed");
  const link = linkIn(await arrived("mailed@example.org"));
  await expect(dialog.getByText(link)).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();

  const { email } = await house.guest();
  await page.reload();
  await page.getByRole("button", { name: `More for ${email}` }).click();
  await page.getByRole("menuitem", { name: "Make a password link" }).click();
  await dialog.getByRole("checkbox", { name: /Send the link by e-mail/ }).click();
  await dialog.getByRole("button", { name: "Make link" }).click();
  await expect(dialog.getByText(`Sent to ${email}`)).toBeVisible();
  expect(linkIn(await arrived(email))).toContain("/console/reset#");
  await dialog.getByRole("button", { name: "Done" }).click();

  smtp.close();
  await invite("unlucky@example.org");
  await expect(dialog.getByText("The e-mail was not sent")).toBeVisible();
  await expect(dialog.getByText(/Cannot connect to 127\.0\.0\.1:\d+: nothing listens there\./)).toBeVisible();
  await expect(dialog.getByText(/\/console\/invitation#/)).toBeVisible();
});
