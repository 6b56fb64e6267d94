import type { Locator, Page } from "@playwright/test";
import { furnish } from "../furnish.ts";
import { PASSWORD } from "../house.ts";
import { expect, test } from "../stage.ts";
import { expectSaved, holdAnswers, keyMenu } from "../steps.ts";

/** Everything without a mouse; whatever has the focus shows it. */

const TABS_MAX = 80;

/** Where the focus is can be seen: by an outline, a ring, or a background of its own. */
async function expectFocusSeen(page: Page): Promise<void> {
  const seen = await page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return "nothing has the focus";
    const places = [element, element.parentElement, element.closest(".control, label, tr, li")];
    const isMarked = places.some(place => {
      if (place === null || place === undefined) return false;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(place);
      return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
    });
    return isMarked ? "seen" : element.outerHTML.slice(0, 300);
  });
  expect(seen).toBe("seen");
}

async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    if (await target.evaluate(element => element === document.activeElement)) return expectFocusSeen(page);
    await page.keyboard.press(key);
    await expectFocusSeen(page);
  }
  throw new Error(`${TABS_MAX} presses of ${key} do not lead to ${target}`);
}

test("signing in, making a key and using it", async ({ page, house }) => {
  const guest = await house.guest();
  await page.goto("/console/sign-in");
  await expect(page.getByLabel("E-mail")).toBeFocused();
  await page.keyboard.type(guest.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();

  await page.keyboard.press("Tab");
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("by hand");
  await tabTo(page, dialog.getByRole("radio", { checked: true }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await tabTo(page, dialog.getByRole("button", { name: "Create key" }));
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Your key, this one time")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog.getByText("You have not copied the key yet")).toBeVisible();
  await tabTo(page, dialog.getByRole("button", { name: "Copy and close" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);

  const row = page.getByRole("row").filter({ hasText: "by hand" });
  await tabTo(page, row);
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Use “by hand”")).toBeVisible();
  await tabTo(page, dialog.getByRole("tab", { selected: true }));
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByRole("tab", { selected: true })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(row).toBeFocused();

  await tabTo(page, page.getByRole("button", { name: "More for by hand" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "More for by hand" })).toBeFocused();
});

test("filters, receipts and the account", async ({ page, house, holder }) => {
  await furnish(house, holder);
  await page.goto("/console/keys");
  await expect(page.getByText("CI runner")).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await expect(page.getByRole("heading", { level: 1, name: "Usage" })).toBeFocused();
  const rows = page.getByRole("table", { name: "Requests, newest first" }).getByRole("row");
  await expect(rows.filter({ hasText: "gpt-5" }).first()).toBeVisible();
  await tabTo(page, page.getByRole("button", { name: /^Model/ }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeVisible();
  const chosen = page.getByRole("menuitem", { name: "gpt-5", exact: true });
  await tabTo(page, chosen, "ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/model=gpt-5/);
  await tabTo(page, page.getByRole("button", { name: "Remove filter Model" }));
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(/model=/);

  const first = rows.nth(1);
  await expect(first).toContainText("claude-sonnet-4-5");
  await tabTo(page, first);
  await page.keyboard.press("ArrowDown");
  await expect(rows.nth(2)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/receipt=req_/);
  await expect(page.getByText("Charged to balance")).toBeVisible();
  const before = page.url();
  await page.keyboard.press("ArrowDown");
  await expect(page).not.toHaveURL(before);
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/receipt=/);

  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { level: 1, name: "Account" })).toBeFocused();
  await tabTo(page, page.getByRole("tab", { name: "Balance" }));
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Ledger" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tab=ledger/);
  await tabTo(page, page.getByRole("tab", { name: "Ledger" }));
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog").getByText("Go to usage")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("the first press of Tab leads past the navigation", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/models");
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.reload();
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeAttached();
  await page.getByRole("link", { name: "Skip to the page" }).focus();
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
});

test("what can be taken back waits while it is pointed at or has the focus", async ({ page, holder }) => {
  const { key } = await holder.makeKey("paused by mistake");
  const stateOf = async () => (await holder.call("GET /keys/{id}", { params: { id: key.id } })).state;
  await page.clock.install();
  await page.goto("/console/keys");
  await keyMenu(page, key.name, "Disable");
  const said = page.getByRole("listitem").filter({ hasText: key.name }).filter({ hasText: "Undo" });
  const undo = said.getByRole("button", { name: "Undo" });
  await said.hover();
  await page.clock.runFor("01:00");
  await expect(undo).toBeVisible();
  await page.mouse.move(0, 0);
  await undo.focus();
  await page.clock.runFor("01:00");
  await expect(undo).toBeFocused();
  expect(await stateOf()).toBe("disabled");
  await page.keyboard.press("Enter");
  await expect.poll(stateOf).toBe("active");
  await expect(said).toHaveCount(0);
  // Nobody is there: it goes by itself.
  await keyMenu(page, key.name, "Disable");
  await page.mouse.move(0, 0);
  await expect(undo).toBeVisible();
  await page.clock.runFor("00:11");
  await expect(said).toHaveCount(0);
  expect(await stateOf()).toBe("disabled");
});

test("an operator's pages: what each is for is a few tabs away, and Esc leads back to it", async ({
  page,
  house,
  context,
}) => {
  test.setTimeout(240_000);
  await furnish(house, await house.guest());
  await (await house.operator()).enter(context);
  for (const [path, action] of [
    ["upstreams", "Connect an upstream"],
    ["models", "Add model"],
    ["models", "Import prices"],
    ["groups", "Create group"],
    ["plans", "Create plan"],
    ["accounts", "Invite"],
    ["codes", "Make codes"],
    ["usage", "Export"],
    ["audit", "Export"],
    ["webhooks", "Add a webhook"],
    ["tokens", "Make a token"],
  ] as const) {
    await page.goto(`/console/operator/${path}`);
    const button = page.getByRole("button", { name: action, exact: true }).first();
    await expect(button).toBeVisible();
    await page.waitForLoadState("networkidle");
    await tabTo(page, button);
    await page.keyboard.press("Enter");
    const opened = page.getByRole(action === "Export" ? "menu" : "dialog");
    await expect(opened).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(opened).toHaveCount(0);
    await expect(button).toBeFocused();
  }
});

test("a setting is saved and given back", async ({ page, house, context }) => {
  test.setTimeout(60_000);
  const operator = await house.operator();
  await operator.enter(context);
  await page.goto("/console/operator/settings");
  const look = page.getByRole("region", { name: "Name and look" });
  const nameOf = async () => {
    const { settings } = await operator.call("GET /operator/settings");
    return settings.find(({ name }) => name === "name")?.value;
  };
  await expect(look).toBeVisible();
  const before = await nameOf();
  await tabTo(page, look.getByLabel("Name", { exact: true }));
  await page.keyboard.type("By Hand");
  await tabTo(page, look.getByRole("button", { name: "Save" }));
  await page.keyboard.press("Enter");
  await expectSaved(look);
  expect(await nameOf()).toBe("By Hand");
  await tabTo(page, look.getByRole("button", { name: "Back to the default: Name" }), "Shift+Tab");
  await page.keyboard.press("Space");
  await tabTo(page, look.getByRole("button", { name: "Save" }));
  await page.keyboard.press("Space");
  await expectSaved(look);
  expect(await nameOf()).toBe(before);
  await tabTo(page, page.getByRole("tab", { name: "House" }), "Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/tab=sign-in/);
});

const ACCOUNT_FIELDS = [
  { what: "a name", tab: "profile", label: "Name", typed: ["Ann", "a Pine"], read: "name" },
  { what: "an amount", tab: "money", label: "Warn below", typed: ["2", "5.50"], read: "low_balance_usd" },
] as const;

for (const { what, tab, label, typed, read } of ACCOUNT_FIELDS) {
  test(`whoever types on while ${what} is saved keeps the place and what was typed`, async ({
    page,
    holder,
  }) => {
    const [first, more] = typed;
    const answer = await holdAnswers(page, "**/console/api/account", "PATCH");
    await page.goto(`/console/account?tab=${tab}`);
    const field = page.getByLabel(label);
    const save = page.locator("form").filter({ has: field }).getByRole("button", { name: "Save" });
    await field.fill(first);
    await field.press("Enter");
    await expect(save).toHaveAttribute("aria-busy", "true");
    await page.keyboard.type(more);
    answer();
    await expect(save).toBeEnabled();
    await expect(field).toBeFocused();
    await expect(field).toHaveValue(`${first}${more}`);
    await page.keyboard.press("Enter");
    // And not only busy.
    await expect(save).toHaveJSProperty("disabled", true);
    await expect(field).toBeFocused();
    expect((await holder.call("GET /account"))[read]).toBe(`${first}${more}`);
  });
}

test("whoever types on while a setting is saved keeps the place and what was typed", async ({
  page,
  house,
  context,
}) => {
  const operator = await house.operator();
  await operator.enter(context);
  const answer = await holdAnswers(page, "**/console/api/operator/settings", "PATCH");
  await page.goto("/console/operator/settings");
  const look = page.getByRole("region", { name: "Name and look" });
  const name = look.getByLabel("Name", { exact: true });
  await name.fill("Harbour");
  await name.press("Enter");
  await expect(look.getByRole("button", { name: "Save" })).toHaveAttribute("aria-busy", "true");
  await page.keyboard.type(" Two");
  answer();
  await expect(look.getByRole("button", { name: "Save" })).toBeEnabled();
  await expect(name).toBeFocused();
  await page.keyboard.type(" B");
  await expect(name).toHaveValue("Harbour Two B");
  await page.keyboard.press("Enter");
  await expectSaved(look);
  await expect(name).toBeFocused();
  const { settings } = await operator.call("GET /operator/settings");
  expect(settings.find(one => one.name === "name")?.value).toBe("Harbour Two B");
  await operator.call("PATCH /operator/settings", { body: { settings: { name: null } } });
});

test("a group, a plan for it and a webhook are made", async ({ page, house, context }) => {
  test.setTimeout(120_000);
  const operator = await house.operator();
  await operator.enter(context);
  const dialog = page.getByRole("dialog");
  const press = async (name: string, from: Locator | Page = dialog) => {
    await tabTo(page, from.getByRole("button", { name, exact: true }).first());
    await page.keyboard.press("Enter");
  };
  await page.goto("/console/operator/groups");
  await press("Create group", page);
  await expect(dialog.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("hands only");
  await tabTo(page, dialog.getByLabel("Multiplier"));
  await page.keyboard.type("0.7");
  await tabTo(page, dialog.getByLabel("Models", { exact: true }));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("gpt-*");
  await expect(dialog.getByText("2 models match")).toBeVisible();
  await tabTo(page, dialog.getByRole("radio", { name: /^Balance/ }));
  await page.keyboard.press("ArrowDown");
  await press("Create group");
  await expect(page.getByText("hands only created")).toBeVisible();
  const { groups } = await operator.call("GET /operator/groups");
  const group = groups.find(({ name }) => name === "hands only");
  expect(group).toMatchObject({ multiplier: "0.7", models: ["gpt-*"] });
  expect(group?.billing).not.toBe("balance");

  await page.goto("/console/operator/plans");
  await press("Create plan", page);
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await page.keyboard.type("by hand");
  await tabTo(page, dialog.getByLabel("Quota"));
  await page.keyboard.type("12");
  const window = dialog.getByRole("combobox", { name: "Begins anew" });
  await tabTo(page, window);
  await page.keyboard.press("Enter");
  await page.keyboard.type("every week");
  await page.keyboard.press("Enter");
  await expect(window).toBeFocused();
  await tabTo(page, dialog.getByRole("checkbox", { name: "hands only" }));
  await page.keyboard.press("Space");
  await press("Create plan");
  await expect(page.getByText("by hand created")).toBeVisible();
  const { plans } = await operator.call("GET /operator/plans");
  expect(plans.find(({ name }) => name === "by hand")).toMatchObject({
    ...{ quota_usd: "12.00", window: "week", groups: ["hands only"] },
  });

  await page.goto("/console/operator/webhooks");
  await press("Add a webhook", page);
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await page.keyboard.type("by hand");
  await page.keyboard.press("Tab");
  await page.keyboard.type("https://hooks.example.org/in");
  await tabTo(page, dialog.getByRole("checkbox", { name: /A key was made/ }));
  await page.keyboard.press("Space");
  await press("Add a webhook");
  await expect(dialog.getByText(/^whsec_/)).toBeVisible();
  await press("Copy signing secret");
  await press("Done");
  await expect(dialog).toHaveCount(0);
  const { webhooks } = await operator.call("GET /operator/webhooks");
  const webhook = webhooks.find(({ name }) => name === "by hand");
  expect(webhook?.events).toContain("key.deleted");
  expect(webhook?.events).not.toContain("key.created");
});
