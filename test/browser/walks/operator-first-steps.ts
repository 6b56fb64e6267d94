import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { PASSWORD, tokenOf } from "../house.ts";
import { startProvider } from "../provider.ts";
import { expect, test } from "../stage.ts";
import { copiedText } from "../steps.ts";
import { askModel } from "../visitor.ts";

/** Somebody who has never seen it comes to an empty house and is led to the first request of a holder. */

test.use({ plan: {} });

const ACTIONS_MAX = 40;
const card = (page: Page) => page.getByRole("region", { name: "First steps" });
const step = (page: Page, name: string) => card(page).getByRole("listitem").filter({ hasText: name });

test("an empty house leads from an upstream to the first request, ticking off what is done", async ({
  page,
  house,
}) => {
  test.setTimeout(120_000);
  const provider = await startProvider(["alpha"]);
  let actions = 0;
  const click = async (target: Locator) => {
    actions += 1;
    await target.click();
  };
  const type = async (target: Locator, text: string) => {
    actions += 1;
    await target.fill(text);
  };
  const dialog = page.getByRole("dialog");
  const toOverview = () => click(page.getByRole("link", { name: "Overview", exact: true }));

  await page.goto(house.setupLink ?? "");
  await type(page.getByLabel("E-mail"), "new@example.org");
  await type(page.getByLabel("New password"), PASSWORD);
  await click(page.getByRole("button", { name: "Set up and sign in" }));
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await expect(card(page)).toContainText("0 of 5 done");
  await expectAccessible(page, "first steps");

  await click(card(page).getByRole("link", { name: "Connect an upstream" }));
  await click(dialog.getByRole("button", { name: /^Anything that speaks OpenAI/ }));
  await type(dialog.getByLabel("Base address"), provider.baseUrl);
  await type(dialog.getByLabel("API key"), "sk-of-the-provider");
  await click(dialog.getByRole("button", { name: "Look for models" }));
  await type(dialog.getByLabel("Input price of alpha"), "1");
  await type(dialog.getByLabel("Output price of alpha"), "4");
  await click(dialog.getByRole("button", { name: "Connect", exact: true }));
  await expect(dialog.getByText("It works")).toBeVisible();
  await expect(dialog.getByText("No group offers these models yet")).toBeVisible();
  await click(dialog.getByRole("button", { name: "Done" }));
  await toOverview();
  await expect(card(page)).toContainText("2 of 5 done");
  await expect(step(page, "Connect an upstream")).toContainText("(done)");

  await click(step(page, "Make a group").getByRole("link", { name: "Make a group" }));
  await type(dialog.getByLabel("Name", { exact: true }), "standard");
  await click(dialog.getByRole("button", { name: "Create group" }));
  await expect(dialog).toHaveCount(0);
  await toOverview();
  await expect(card(page)).toContainText("3 of 5 done");

  await click(step(page, "Invite somebody").getByRole("link", { name: "Invite somebody" }));
  await click(page.getByRole("button", { name: "Invite" }).first());
  await type(dialog.getByLabel("E-mail"), "holder@example.org");
  await type(dialog.getByLabel("Starting balance"), "5");
  await click(dialog.getByRole("button", { name: "Make link" }));
  const link = await copiedText(page, dialog.getByRole("button", { name: "Copy link" }));
  actions += 1;
  await click(dialog.getByRole("button", { name: "Done" }));
  await toOverview();
  await expect(card(page)).toContainText("4 of 5 done");

  const holder = house.visitor();
  await holder.call("POST /links/use", { body: { token: tokenOf(link), password: PASSWORD } });
  const { groups } = await holder.call("GET /groups");
  const group = groups.find(({ name }) => name !== "demo")?.name ?? "";
  const { string } = await holder.makeKey("first", group);
  await expect
    .poll(async () => {
      const answer = await askModel(house.root, string, { model: "alpha" });
      return answer.status === 200 && (await answer.text()).includes("ready indeed");
    })
    .toBe(true);
  await expect(page.getByText("Everything is in place")).toBeVisible({ timeout: 15_000 });
  await expect(page.getByRole("link", { name: "holder@example.org" })).toBeVisible();
  await click(page.getByRole("link", { name: "holder@example.org" }));
  await expect(page.getByRole("row").filter({ hasText: "alpha" }).first()).toBeVisible();
  test.info().annotations.push({ type: "actions to the first request", description: String(actions) });
  expect(actions).toBeLessThan(ACTIONS_MAX);

  await toOverview();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await expect(page.getByText("healthy").first()).toBeVisible();
  await expect(card(page)).toHaveCount(0);
  await provider.close();
});
