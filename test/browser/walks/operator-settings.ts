import type { Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { PASSWORD } from "../house.ts";
import { startIssuer, startMailbox } from "../loopback-services.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { expectFits, expectSaved } from "../steps.ts";
import type { Visitor } from "../visitor.ts";

/** The settings of the house: each is saved, does what it says, and says where it comes from. */

const [IMAGE = ""] = PAYLOADS;
const BALANCE = "WICKETGATE_REGISTRATION_BALANCE";
/** Nothing listens there. */
const NOWHERE = "127.0.0.1";

test.describe.configure({ timeout: 60_000 });
test.use({
  plan: { env: { [BALANCE]: "3.5", WICKETGATE_PRIVATE_UPSTREAMS: NOWHERE } },
});

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const section = (page: Page, name: string) => page.getByRole("region", { name });

async function open(page: Page, tab = ""): Promise<void> {
  await page.goto(`/console/operator/settings${tab === "" ? "" : `?tab=${tab}`}`);
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
}

async function save(page: Page, name: string): Promise<void> {
  await section(page, name).getByRole("button", { name: "Save" }).click();
  await expectSaved(section(page, name));
  await expect(page.getByText("Saved", { exact: true }).last()).toBeVisible();
}

async function set(operator: Visitor, settings: Record<string, string | null>): Promise<void> {
  await operator.call("PATCH /operator/settings", { body: { settings } });
}

test("a name, a logo and a colour are on the sign-in page, and go back to their defaults", async ({
  page,
  house,
  context,
  watch,
}) => {
  await (await house.operator()).enter(context);
  await open(page);
  const look = section(page, "Name and look");
  await look.getByLabel("Name", { exact: true }).fill("Harbour Gate");
  await expect(page.getByRole("tab", { name: "House, not saved" })).toBeVisible();
  await look.getByLabel("Choose a picture").setInputFiles({
    ...{ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg onload='window.hit=1'/>") },
  });
  await expect(look.getByText("Choose a PNG, JPEG or WebP picture.")).toBeVisible();
  await look.getByLabel("Choose a picture").setInputFiles({
    ...{ name: "big.png", mimeType: "image/png", buffer: Buffer.concat([PNG, Buffer.alloc(70_000)]) },
  });
  await expect(look.getByText(/at most 64 KB are taken/)).toBeVisible();
  await look
    .getByLabel("Choose a picture")
    .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: PNG });
  await expect(look.getByRole("img", { name: "The picture as it will be" })).toBeVisible();
  await look.getByLabel("Accent").fill("#ffdd00");
  await expect(look.getByText(/Choose a darker colour/)).toBeVisible();
  await look.getByRole("button", { name: "Save" }).click();
  await expect(look.getByText(/^Must be darker: white text on it/)).toBeVisible();
  await look.getByLabel("Accent").fill("#7a1fa2");
  await expect(look.getByText(/both can be read/)).toBeVisible();
  await expectAccessible(page, "settings, changed");
  await save(page, "Name and look");
  await expect(page).toHaveTitle("Settings · Harbour Gate");

  const other = await (await watch.open()).newPage();
  await other.goto("/console/sign-in");
  await expect(other.getByText("Harbour Gate").first()).toBeVisible();
  await expect(other).toHaveTitle("Sign in · Harbour Gate");
  const accent = await other.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue("--accent").trim(),
  );
  expect(accent).toBe("#7a1fa2");
  await expect(other.locator("header img")).toHaveAttribute("src", /\/house\/logo\?v=/);

  await look.getByRole("button", { name: "Back to the default: Name" }).click();
  await look.getByRole("button", { name: "Back to the default: Accent" }).click();
  await look.getByRole("button", { name: "Remove" }).click();
  await expect(look.getByText("Goes back to the default when you save")).toHaveCount(3);
  await save(page, "Name and look");
  await other.reload();
  await expect(other).toHaveTitle("Sign in · Wicketgate");
  await expect(other.locator("header img")).toHaveCount(0);
});

test("a name is text wherever it stands", async ({ page, house, context, watch }) => {
  const operator = await house.operator();
  await operator.enter(context);
  await set(operator, { name: IMAGE });
  await open(page);
  await expect(page.getByRole("navigation").getByText(IMAGE).first()).toBeVisible();
  const other = await (await watch.open()).newPage();
  await other.goto("/console/sign-in");
  await expect(other.getByText(IMAGE).first()).toBeVisible();
  for (const one of [page, other]) expect(await one.evaluate(() => "hit" in window)).toBe(false);
  await set(operator, { name: null });
});

test("open registration lets somebody in, with the balance that the environment fixes", async ({
  page,
  house,
  context,
  watch,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  await open(page, "sign-in");
  const registration = section(page, "Registration");
  await expect(registration.getByText(BALANCE)).toBeVisible();
  await expect(registration.getByLabel("Starting balance")).toBeDisabled();
  await expect(registration.getByLabel("Starting balance")).toHaveValue("3.5");
  await registration.getByRole("radio", { name: /Open to anybody/ }).click();
  await save(page, "Registration");

  const other = await (await watch.open()).newPage();
  await other.goto("/console/register");
  await other.getByLabel("E-mail").fill("newcomer@example.org");
  await other.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await other
    .getByRole("main")
    .getByRole("button", { name: /account/i })
    .click();
  await expect(other.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  const { accounts } = await operator.call("GET /operator/accounts");
  const newcomer = accounts.find(({ email }) => email === "newcomer@example.org");
  expect(Number(newcomer?.balance_usd)).toBe(3.5);

  await registration.getByRole("button", { name: "Back to the default: Who may make an account" }).click();
  await save(page, "Registration");
  const closed = await (await watch.open()).newPage();
  await closed.goto("/console/register");
  await expect(closed.getByLabel("Password", { exact: true })).toHaveCount(0);
});

test("what would lock people out is refused at its field; what is wrong is told there", async ({
  page,
  house,
  context,
}) => {
  await (await house.operator()).enter(context);
  await open(page, "sign-in");
  const methods = section(page, "Passwords and passkeys");
  await methods.getByRole("switch", { name: /Sign in by password/ }).click();
  await methods.getByRole("switch", { name: /Passkeys/ }).click();
  await methods.getByRole("button", { name: "Save" }).click();
  await expect(methods.getByText(/^Must be on while/)).toBeVisible();
  await methods.getByRole("button", { name: "Discard" }).click();
  await expect(methods.getByRole("switch", { name: /Passkeys/ })).toBeChecked();

  const oidc = section(page, "OpenID Connect");
  await expect(oidc.getByRole("button", { name: "Test the issuer" })).toBeDisabled();
  await expect(oidc.getByText("/console/api/sign-in/oidc/callback")).toBeVisible();
  await oidc.getByLabel("Issuer").fill(`http://${NOWHERE}:1`);
  await oidc.getByRole("button", { name: "Save" }).click();
  await expect(oidc.getByText(/^Must be set where .* is\.$/)).toBeVisible();
  await oidc.getByLabel("Client id").fill("wicketgate");
  await oidc.getByRole("button", { name: "Enter: Client secret" }).click();
  await oidc.getByLabel("Client secret", { exact: true }).fill("a very secret word");
  await save(page, "OpenID Connect");
  await expect(oidc.getByText("set", { exact: true })).toBeVisible();
  await oidc.getByRole("button", { name: "Test the issuer" }).click();
  await expect(oidc.getByText(/cannot be reached/)).toBeVisible({ timeout: 15_000 });
  await expectAccessible(page, "settings, sign-in");
  await page.reload();
  await expect(oidc.getByText("set", { exact: true })).toBeVisible();
  expect(await page.content()).not.toContain("a very secret word");
  for (const name of ["Issuer", "Client id"])
    await oidc.getByRole("button", { name: `Back to the default: ${name}` }).click();
  await oidc.getByRole("button", { name: "Remove: Client secret" }).click();
  await save(page, "OpenID Connect");
  await expect(oidc.getByText("not set", { exact: true })).toBeVisible();
});

test("a mail server that is not there is told, and how long requests are kept is a number", async ({
  page,
  house,
  context,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  await open(page, "mail");
  const mail = section(page, "Mail server");
  await mail.getByLabel("Host").fill(NOWHERE);
  await mail.getByLabel("Port").fill("1");
  await mail.getByRole("radio", { name: /^None/ }).click();
  await mail.getByLabel("From").fill("gate@example.org");
  await save(page, "Mail server");
  await mail.getByRole("button", { name: "Send a test mail to me" }).click();
  await expect(mail.getByText(/Cannot connect to 127\.0\.0\.1:1/)).toBeVisible({ timeout: 15_000 });
  await expectAccessible(page, "settings, e-mail");
  await set(operator, { smtp_host: null, smtp_port: null, smtp_security: null, smtp_from: null });

  await page.getByRole("tab", { name: "Usage log" }).click();
  await expect(page).toHaveURL(/tab=log/);
  const log = section(page, "How long requests are kept");
  await log.getByLabel("Days").fill("99999999");
  await log.getByRole("button", { name: "Save" }).click();
  await expect(log.getByText("Must be a whole number from 0 to 36500.")).toBeVisible();
  await log.getByLabel("Days").fill("90");
  await save(page, "How long requests are kept");
  const { settings } = await operator.call("GET /operator/settings");
  expect(settings.find(({ name }) => name === "usage_days")).toMatchObject({ value: "90", from: "console" });
  const { entries } = await operator.call("GET /operator/audit");
  expect(JSON.stringify(entries)).toContain("usage_days");
  await expectAccessible(page, "settings, usage log");
  await set(operator, { usage_days: null });
});

test("no sealed copies any more: it asks, says how many there are, and removes them", async ({
  page,
  house,
  context,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  const guest = await house.guest();
  await guest.makeKey("one");
  await guest.makeKey("two");
  await open(page, "keys");
  const keys = section(page, "Sealed copies of keys");
  const { keys: kept } = await operator.call("GET /operator/settings/sealed-copies");
  expect(kept).toBeGreaterThanOrEqual(2);
  await expect(keys.getByText(`${kept} keys have a sealed copy.`)).toBeVisible();
  await keys.getByRole("switch").click();
  await keys.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog", { name: "Stop keeping sealed copies?" });
  await expect(dialog.getByText(`${kept} keys have a copy.`)).toBeVisible();
  await expectAccessible(page, "no copies any more");
  await dialog.getByRole("button", { name: "Stop keeping copies" }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await expect(keys.getByText("No key has a sealed copy.")).toBeVisible();
  expect(await operator.call("GET /operator/settings/sealed-copies")).toEqual({ keys: 0 });
  await guest.makeKey("three");
  expect(await operator.call("GET /operator/settings/sealed-copies")).toEqual({ keys: 0 });
  await keys.getByRole("button", { name: /^Back to the default/ }).click();
  await save(page, "Sealed copies of keys");
});

test("leaving with something unsaved asks; by the keyboard, in Chinese, on a phone; not for holders", async ({
  house,
  watch,
}) => {
  const operator = await house.operator();
  const context = await watch.open({ locale: "zh-CN" });
  await operator.enter(context);
  const page = await context.newPage();
  await page.goto("/console/operator/settings");
  await expect(page.getByRole("heading", { level: 1, name: "设置" })).toBeVisible();
  await page.getByRole("tab", { name: "站点" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/tab=sign-in/);
  await page.keyboard.press("ArrowLeft");
  await page.getByLabel("名称", { exact: true }).fill("另一个名称");
  await page.getByRole("navigation").getByRole("link", { name: "审计" }).first().click();
  const dialog = page.getByRole("dialog", { name: "不保存就离开？" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/operator\/settings/);
  await expect(page.getByLabel("名称", { exact: true })).toHaveValue("另一个名称");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ["站点，未保存", "登录", "邮件", "密钥", "用量日志"]) {
    await page.getByRole("tab", { name }).click();
    await expectAccessible(page, `settings on a phone, ${name}`);
    await expectFits(page, name);
  }
  const guest = await house.guest();
  const other = await watch.open();
  await guest.enter(other);
  const theirs = await other.newPage();
  await theirs.goto("/console/operator/settings");
  await expect(theirs.getByText("This page is for operators")).toBeVisible();
});

test("a test mail arrives, and an issuer that answers is said to", async ({ page, house, context }) => {
  const operator = await house.operator();
  await operator.enter(context);
  const [mailbox, issuer] = [await startMailbox(), await startIssuer()];
  await set(operator, { name: "Harbour Gate" });
  await open(page, "mail");
  const mail = section(page, "Mail server");
  await mail.getByLabel("Host").fill(NOWHERE);
  await mail.getByLabel("Port").fill(String(mailbox.port));
  await mail.getByRole("radio", { name: /^None/ }).click();
  await mail.getByLabel("From").fill("gate@example.org");
  await expect(mail.getByRole("button", { name: "Send a test mail to me" })).toBeDisabled();
  await save(page, "Mail server");
  await mail.getByRole("button", { name: "Send a test mail to me" }).click();
  await expect(mail.getByText("A test mail is on its way to operator@example.org")).toBeVisible({
    timeout: 15_000,
  });
  expect(mailbox.mails).toHaveLength(1);
  expect(mailbox.mails[0]).toContain("Harbour Gate");
  expect(mailbox.mails[0]).toMatch(/^From: .*gate@example\.org/m);

  await page.getByRole("tab", { name: "Sign-in" }).click();
  const oidc = section(page, "OpenID Connect");
  await oidc.getByLabel("Issuer").fill(issuer.root);
  await oidc.getByLabel("Client id").fill("wicketgate");
  await oidc.getByLabel("Name on the button").fill("Harbour ID");
  await save(page, "OpenID Connect");
  await oidc.getByRole("button", { name: "Test the issuer" }).click();
  await expect(oidc.getByText(`${issuer.root} answers and says what is needed.`)).toBeVisible({
    timeout: 15_000,
  });
  await set(operator, { oidc_issuer: null, oidc_client_id: null, oidc_name: null, name: null });
  await set(operator, { smtp_host: null, smtp_port: null, smtp_security: null, smtp_from: null });
  await mailbox.close();
  await issuer.close();
});

test("language, public address and ways to sign in count for whoever comes next", async ({
  page,
  house,
  context,
  watch,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  await open(page);
  const place = section(page, "Address and language");
  await place.getByLabel("Public URL").fill(`${house.localhost}/v1`);
  await expect(place.getByText(/locks this console out/)).toBeVisible();
  await place.getByRole("button", { name: "Save" }).click();
  await expect(place.getByText("Must be the root address, without /v1.")).toBeVisible();
  await place.getByLabel("Public URL").fill(house.localhost);
  await save(page, "Address and language");
  const visitor = house.visitor();
  const { openai_base_url: base } = await visitor.call("GET /house");
  expect(base).toBe(`${house.localhost}/v1`);
  await house.command(["settings", "reset", "public_url"]);

  await set(operator, { password_sign_in: "off", language: "zh" });
  const stranger = await (await watch.open()).newPage();
  await stranger.goto("/console/sign-in");
  await expect(stranger.getByRole("heading", { level: 1, name: "登录" })).toBeVisible();
  await expect(stranger.locator("input[type=password]")).toHaveCount(0);
  await set(operator, { password_sign_in: null, language: null });
  await stranger.reload();
  await expect(stranger.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await expect(stranger.locator("input[type=password]")).toHaveCount(1);
});
