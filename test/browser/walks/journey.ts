import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { CATALOGUE } from "../catalogue.ts";
import { type House, PASSWORD } from "../house.ts";
import { expect, test } from "../stage.ts";
import { copiedText, keyMenu, makeKey, signIn } from "../steps.ts";
import { askModel } from "../visitor.ts";

/** From an empty installation to a paid request and to a deleted key, as the people do it who live there. */

const HOLDER = "ann@example.org";
const MODEL = "gpt-5";
const PRICE = { input: 1.25, output: 10 };

// A house of its own, since nobody must have set it up before.
test.use({ plan: { catalogue: CATALOGUE, env: { WICKETGATE_LOG_LEVEL: "info" } } });

async function setUp(page: Page, house: House): Promise<void> {
  await page.goto(house.setupLink ?? "");
  await expect(page.getByRole("heading", { name: "Set up this house" })).toBeVisible();
  await page.getByLabel("E-mail").fill("first@example.org");
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Set up and sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
}

async function invite(page: Page): Promise<string> {
  await page.getByRole("link", { name: "Accounts", exact: true }).click();
  await page.getByRole("button", { name: "Invite" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill(HOLDER);
  await dialog.getByLabel("Starting balance").fill("25");
  await dialog.getByRole("button", { name: "Make link" }).click();
  await expect(dialog.getByText("The link, this one time")).toBeVisible();
  const link = await copiedText(page, dialog.getByRole("button", { name: "Copy link" }));
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(HOLDER)).toBeVisible();
  return link;
}

async function comeIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "You are invited" })).toBeVisible();
  await page.getByLabel("New password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await page.getByRole("button", { name: /Account, theme and language/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await signIn(page, HOLDER);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
}

/** The first command of curl's page, copied and given to a shell as it is. */
async function runCopiedSnippet(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Other clients" }).click();
  await dialog.getByRole("tab", { name: "curl" }).click();
  await dialog.getByRole("combobox", { name: "Model" }).fill(MODEL);
  await page.getByRole("option", { name: MODEL, exact: true }).click();
  await expect(dialog.getByText("Waiting for the first request…")).toBeVisible();
  await expect(dialog.getByRole("figure").last()).toContainText(`"${MODEL}"`);
  const texts: string[] = [];
  for (const figure of await dialog.getByRole("figure").all())
    texts.push(await copiedText(page, figure.getByRole("button", { name: /^Copy/ })));
  // Environment first where there is one, then the first call.
  const call = texts.findIndex(text => text.includes("curl"));
  const snippet = texts.slice(0, call + 1).join("\n");
  const { stdout } = await promisify(execFile)("bash", ["-c", snippet], { timeout: 20_000 });
  return stdout;
}

test("from the set-up link to a deleted key", async ({ page, house, watch }) => {
  test.setTimeout(60_000);
  await setUp(page, house);
  const link = await invite(page);
  const ann = await (await watch.open({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
  await comeIn(ann, link);

  const made = await makeKey(ann, { name: "laptop · curl", group: "standard" });
  const answer = JSON.parse(await runCopiedSnippet(ann)) as { model: string };
  expect(answer.model).toBe(MODEL);

  const dialog = ann.getByRole("dialog");
  await expect(dialog.getByText(`Received: ${MODEL} by curl`)).toBeVisible();
  await dialog.getByRole("link", { name: "See it in the log" }).click();
  await expect(ann.getByRole("heading", { level: 1, name: "Usage" })).toBeVisible();
  const [row, ...others] = await house.usage();
  expect(others).toEqual([]);
  expect(row).toMatchObject({ model: MODEL, state: "settled", status: 200 });
  const cost = Number(row?.cost);
  const tokens = { in: row?.input_tokens ?? 0, out: row?.output_tokens ?? 0 };
  expect(cost).toBeCloseTo((tokens.in * PRICE.input + tokens.out * PRICE.output) / 1_000_000, 9);
  const line = ann.getByRole("row").filter({ hasText: MODEL });
  await expect(line).toHaveCount(1);
  await expect(line).toContainText("laptop · curl");
  await expect(line).toContainText("curl");
  await expect(line).toContainText(`$${row?.cost}`);

  await ann.getByRole("link", { name: "API keys" }).first().click();
  const status = async (string: string) => (await askModel(house.root, string, { model: MODEL })).status;
  const refusal = async (string: string) => {
    const refused = await askModel(house.root, string, { model: MODEL });
    const { error } = (await refused.json()) as { error: { reason?: string; code?: string } };
    return [refused.status, error.reason ?? error.code];
  };
  expect(await status(made)).toBe(200);

  await keyMenu(ann, "laptop · curl", "Disable");
  await expect(ann.getByText("its next request is refused")).toBeVisible();
  expect(await refusal(made)).toEqual([401, "key_disabled"]);
  await ann.getByRole("button", { name: "Enable laptop · curl" }).click();
  await expect(ann.getByText("works again")).toBeVisible();
  expect(await status(made)).toBe(200);

  await keyMenu(ann, "laptop · curl", "Rotate");
  await dialog.getByRole("radio", { name: /^Now/ }).click();
  await dialog.getByRole("button", { name: "Rotate", exact: true }).click();
  await expect(dialog.getByText("The new string, this one time")).toBeVisible();
  const rotated = await copiedText(ann, dialog.getByRole("button", { name: "Copy" }));
  expect(rotated).toMatch(/^wgk_/);
  expect(rotated).not.toBe(made);
  expect(await refusal(made)).toEqual([401, "key_replaced"]);
  expect(await status(rotated)).toBe(200);
  await dialog.getByRole("button", { name: "Done" }).click();

  await keyMenu(ann, "laptop · curl", "Delete");
  const remove = dialog.getByRole("button", { name: "Delete key" });
  await expect(remove).toBeDisabled();
  await dialog.getByRole("textbox").fill("laptop · curl");
  await remove.click();
  await expect(ann.getByText("“laptop · curl” is deleted.")).toBeVisible();
  await expect(ann.getByText("No key yet")).toBeVisible();
  expect(await refusal(rotated)).toEqual([401, "key_deleted"]);
  expect((await house.command(["verify"])).toLowerCase()).not.toContain("problem");
});
