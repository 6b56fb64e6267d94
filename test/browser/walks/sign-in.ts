import { OPERATOR, PASSWORD } from "../house.ts";
import { expect, test } from "../stage.ts";
import { holdAnswers, signIn } from "../steps.ts";

test("an address with a page leads there after signing in, and at once for who is signed in", async ({
  page,
  house,
}) => {
  const guest = await house.guest();
  await page.goto("/console/models?q=gpt");
  await signIn(page, guest.email);
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  expect(new URL(page.url()).search).toBe("?q=gpt");
  await page.goto("/console/sign-in?to=%2Fmodels%3Fq%3Dhaiku");
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  expect(page.url()).toBe(`${house.root}/console/models?q=haiku`);
});

test("a link to sign in leads nowhere else, whatever it names", async ({ page, holder, house }) => {
  for (const to of ["//evil.example/", "https://evil.example", "/\\evil.example", "javascript:alert(1)"]) {
    await page.goto(`/console/sign-in?to=${encodeURIComponent(to)}`);
    await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
    expect({ to, url: page.url() }).toEqual({ to, url: `${house.root}/console/keys` });
  }
  expect(holder.email).toContain("@");
});

test("unknown and wrong are told by the same sentence, and too many tries by the time to wait", async ({
  page,
  house,
}) => {
  await house.operator();
  await page.setExtraHTTPHeaders({ "x-forwarded-for": "10.9.9.9" });
  await page.goto("/console/sign-in");
  const attempt = async (email: string) => {
    await signIn(page, email, "not the password");
    await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeEnabled();
    return await page.getByRole("alert").innerText();
  };
  const unknown = await attempt("nobody@example.org");
  expect(unknown).toBe("This e-mail and password do not belong together here.");
  expect(await attempt(OPERATOR)).toBe(unknown);
  let said = "";
  for (let tries = 0; tries < 12 && !said.startsWith("Too many"); tries += 1) said = await attempt(OPERATOR);
  expect(said).toMatch(/^Too many tries\. Try again in \d+ seconds?\.$/);
});

test("a link works once, and the token leaves the address bar at once", async ({ page, house, watch }) => {
  const operator = await house.operator();
  const { link } = await operator.call("POST /operator/invitations", {
    body: { email: "once@example.org", role: "holder" },
  });
  await page.goto(link);
  await expect(page.getByLabel("E-mail")).toHaveValue("once@example.org");
  expect(page.url()).toBe(`${house.root}/console/invitation`);
  await page.getByLabel("New password").fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("5 more characters are needed.")).toBeVisible();
  await page.getByLabel("New password").fill("password123");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByLabel("New password")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  const other = await (await watch.open()).newPage();
  await other.goto(link);
  await expect(other.getByText("This link does not work")).toBeVisible();
  await other.goto("about:blank");
  await other.goto("/console/invitation");
  await expect(other.getByText("The link is not complete")).toBeVisible();
});

test("signing out leads to the sign-in page once, whatever hears of it first, or has ended it before", async ({
  page,
  house,
  context,
}) => {
  const guest = await house.guest();
  await guest.enter(context);
  const letGo = await holdAnswers(page, "**/console/api/session", "DELETE");
  const leave = async () => {
    await page.goto("/console/usage");
    await page.getByRole("button", { name: /Account, theme and language/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
  };
  await leave();
  const refused = page.waitForResponse(response => response.status() === 401);
  await page.getByRole("navigation").getByRole("link", { name: "Account", exact: true }).click();
  await refused;
  await page.waitForTimeout(300);
  expect(page.url()).toBe(`${house.root}/console/account`);
  letGo();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(page.url()).toBe(`${house.root}/console/sign-in`);

  await signIn(page, guest.email);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await page.unroute("**/console/api/session");
  await page.route("**/console/api/session", async route => {
    if (route.request().method() === "DELETE") await route.fetch();
    await route.continue();
  });
  await leave();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});
