import { expectAccessible } from "../axe.ts";
import { PASSWORD } from "../house.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect, test } from "../stage.ts";
import { copiedText, expectSignedOut, signIn, signOut } from "../steps.ts";
import { totpCode } from "../totp.ts";

test("two-factor asks for a code after the password, and a recovery code works once", async ({
  page,
  holder,
}) => {
  await page.goto("/console/account?tab=security");
  await page.getByRole("button", { name: "Set up" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("img", { name: /QR code/ })).toBeVisible();
  const secret = await copiedText(page, dialog.getByRole("button", { name: "Copy secret" }));
  await dialog.getByLabel("Code from the app").fill("12345");
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await expect(dialog.getByText("Enter the six digits that the app shows now.")).toBeVisible();
  await dialog.getByLabel("Code from the app").fill(totpCode(secret));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await expect(dialog.getByText("Your recovery codes, this one time")).toBeVisible();
  const codes = (await copiedText(page, dialog.getByRole("button", { name: "Copy all" }))).split("\n");
  expect(codes).toHaveLength(10);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("10 recovery codes are left.")).toBeVisible();

  await signOut(page);
  await signIn(page, holder.email);
  await expect(page.getByRole("heading", { name: "Two-factor" })).toBeVisible();
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByLabel("Code")).toHaveAttribute("aria-invalid", "true");
  // The code of now was used to turn it on, and works once; the next one is taken a little early.
  await page.getByLabel("Code").fill(totpCode(secret, 1));
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();

  await signOut(page);
  await signIn(page, holder.email);
  await page.getByLabel("Code").fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await signOut(page);
  await signIn(page, holder.email);
  await page.getByLabel("Code").fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByLabel("Code")).toHaveAttribute("aria-invalid", "true");
});

test("a passkey signs in without password or code", async ({ house, watch }) => {
  const root = house.localhost;
  const guest = await house.guest({ root });
  const context = await watch.open({ baseURL: root });
  await guest.enter(context, root);
  const page = await context.newPage();
  const devices = await context.newCDPSession(page);
  await devices.send("WebAuthn.enable");
  await devices.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const name = PAYLOADS[0] ?? "";
  await page.goto("/console/account?tab=security");
  await page.getByRole("button", { name: "Add passkey" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await expectAccessible(page, "a passkey's name");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog).toHaveCount(0);
  // A name is text, whatever it is.
  await expect(page.getByText(name, { exact: true })).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);

  await signOut(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await page.goto("/console/account?tab=security");
  await page.getByRole("button", { name: `Remove passkey ${name}` }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No passkey yet.")).toBeVisible();
});

test("at an IP address the page says where passkeys work", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/account?tab=security");
  await expect(page.getByText("this console is open at an IP address")).toBeVisible();
});

test("what is secret asks again after a quarter of an hour, and goes on by itself", async ({
  page,
  holder,
  house,
}) => {
  const { key } = await holder.makeKey("asks again");
  await house.letProofAge(holder.email);
  await page.goto(`/console/keys?show=rotate&key=${key.id}`);
  const rotate = page.getByRole("dialog").filter({ hasText: "Rotate “asks again”" });
  await rotate.getByRole("button", { name: "Rotate", exact: true }).click();
  const asks = page.getByRole("dialog").filter({ has: page.getByLabel("Password", { exact: true }) });
  await asks.getByLabel("Password", { exact: true }).fill("not the password");
  await page.keyboard.press("Enter");
  await expect(asks.getByRole("alert")).toBeVisible();
  await asks.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByText("The new string, this one time")).toBeVisible();
});

test("a session that is signed out from another browser is over at once", async ({ page, holder, watch }) => {
  const other = await watch.open();
  const there = await other.newPage();
  await there.goto("/console/sign-in");
  await signIn(there, holder.email);
  await expect(there.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await page.goto("/console/account?tab=sessions");
  const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
  await expect(rows.filter({ hasText: "this browser" })).toHaveCount(1);
  await rows
    .filter({ hasText: "Chrom" })
    .filter({ hasNotText: "this browser" })
    .getByRole("button", { name: /^Sign out/ })
    .click();
  await expect(page.getByText(/^Signed out: /)).toBeVisible();
  await expectSignedOut(there);
});
