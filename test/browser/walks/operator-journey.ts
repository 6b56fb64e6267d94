import type { Page } from "@playwright/test";
import { PASSWORD } from "../house.ts";
import { type Provider, startProvider } from "../provider.ts";
import { expect, test } from "../stage.ts";
import { copiedText, makeKey } from "../steps.ts";
import { askModel } from "../visitor.ts";

/** From an empty house to somebody's first request, along the page's own first steps: few actions, none of them known. */

const MODEL = "alpha-large";
const HOLDER = "ann@example.org";
const ACTIONS_MAX = 40;

// Nobody has set it up, and nothing is in it.
test.use({ plan: {} });

/** Counts what the operator does: each click, each field, each key. */
class Hands {
  count = 0;

  async do(action: Promise<unknown>): Promise<void> {
    this.count += 1;
    await action;
  }
}

async function setUp(page: Page, { hands, link }: { hands: Hands; link: string }): Promise<void> {
  await hands.do(page.goto(link));
  await hands.do(page.getByLabel("E-mail").fill("first@example.org"));
  await hands.do(page.getByLabel("New password").fill(PASSWORD));
  await hands.do(page.getByRole("button", { name: "Set up and sign in" }).click());
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await expect(page.getByText("0 of 5 done")).toBeVisible();
}

async function connect(page: Page, { hands, provider }: { hands: Hands; provider: Provider }): Promise<void> {
  await hands.do(page.getByRole("listitem").getByRole("link", { name: "Connect an upstream" }).click());
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("searchbox", { name: "Find a provider" })).toBeFocused();
  await hands.do(page.keyboard.type("speaks openai"));
  await expect(dialog.getByRole("list", { name: "Providers" }).getByRole("button")).toHaveCount(1);
  await hands.do(page.keyboard.press("Enter"));
  await hands.do(dialog.getByLabel("Base address").fill(provider.baseUrl));
  await hands.do(dialog.getByLabel("API key").fill("sk-canary-0123456789abcdefghij"));
  await hands.do(dialog.getByRole("button", { name: "Look for models" }).click());
  await expect(dialog.getByText("1 model found.")).toBeVisible();
  await hands.do(dialog.getByRole("button", { name: "Connect", exact: true }).click());
  await expect(dialog.getByText("It works")).toBeVisible();
  await hands.do(dialog.getByRole("button", { name: "Done" }).click());
}

async function nextStep(page: Page, { hands, name }: { hands: Hands; name: string }): Promise<void> {
  await hands.do(page.getByRole("link", { name: "Overview", exact: true }).click());
  await hands.do(
    page.getByRole("main").getByRole("listitem").getByRole("link", { name, exact: true }).click(),
  );
}

async function price(page: Page, hands: Hands): Promise<void> {
  await nextStep(page, { hands, name: "Price a model" });
  await hands.do(page.getByRole("button", { name: new RegExp(`^Input price of ${MODEL}:`) }).click());
  await hands.do(page.keyboard.type("2"));
  await hands.do(page.keyboard.press("Enter"));
  // Both belong to a price: it goes on to the other by itself, and leaves the list of what has none.
  await expect(page.getByLabel(`New Output price of ${MODEL}`, { exact: true })).toBeFocused();
  await hands.do(page.keyboard.type("8"));
  await hands.do(page.keyboard.press("Enter"));
  await expect(page.getByRole("row").filter({ hasText: MODEL })).toHaveCount(0);
}

async function group(page: Page, hands: Hands): Promise<void> {
  await nextStep(page, { hands, name: "Make a group" });
  const dialog = page.getByRole("dialog");
  await hands.do(dialog.getByLabel("Name", { exact: true }).fill("team"));
  await hands.do(dialog.getByRole("button", { name: "Create group" }).click());
  await expect(page.getByRole("table", { name: "Groups" })).toContainText("team");
}

async function invite(page: Page, hands: Hands): Promise<string> {
  await nextStep(page, { hands, name: "Invite somebody" });
  await hands.do(page.getByRole("button", { name: "Invite" }).first().click());
  const dialog = page.getByRole("dialog");
  await hands.do(dialog.getByLabel("E-mail").fill(HOLDER));
  await hands.do(dialog.getByLabel("Starting balance").fill("5"));
  await hands.do(dialog.getByRole("button", { name: "Make link" }).click());
  hands.count += 1;
  const link = await copiedText(page, dialog.getByRole("button", { name: "Copy link" }));
  await hands.do(dialog.getByRole("button", { name: "Done" }).click());
  return link;
}

test(`from nothing to a holder's first request in fewer than ${ACTIONS_MAX} actions`, async ({
  page,
  house,
  watch,
}) => {
  test.setTimeout(90_000);
  const provider = await startProvider([MODEL]);
  try {
    const hands = new Hands();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await setUp(page, { hands, link: house.setupLink ?? "" });
    await connect(page, { hands, provider });
    await price(page, hands);
    await group(page, hands);
    const link = await invite(page, hands);

    const ann = await (await watch.open({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
    await ann.goto(link);
    await ann.getByLabel("New password").fill(PASSWORD);
    await ann.getByRole("button", { name: "Create account" }).click();
    const key = await makeKey(ann, { name: "laptop", group: "team" });
    const answer = await askModel(house.root, key, { model: MODEL });
    expect(answer.status).toBe(200);
    await answer.text();

    await hands.do(page.getByRole("link", { name: "Overview", exact: true }).click());
    await expect(page.getByText("Everything is in place")).toBeVisible();
    await hands.do(page.getByRole("link", { name: "Usage of all", exact: true }).click());
    const row = page.getByRole("table", { name: "Requests, newest first" }).getByRole("row");
    // 10 tokens at 2 USD and 5 at 8 USD for a million.
    await expect(row.filter({ hasText: HOLDER }).filter({ hasText: MODEL })).toContainText("$0.00006");
    test.info().annotations.push({ type: "actions", description: String(hands.count) });
    expect(hands.count).toBeLessThan(ACTIONS_MAX);
  } finally {
    await provider.close();
  }
});
