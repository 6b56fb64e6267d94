import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect } from "../stage.ts";
import { asker, connect, expectAsked, list, menu, panelOf, row, test } from "../upstream-steps.ts";

/** Who is asked first, who is paused and who rests: seen by which provider gets the request. */

const [IMAGE = ""] = PAYLOADS;

test.use({
  plan: {
    catalogue: { ...CATALOGUE, groups: [...CATALOGUE.groups, { name: "everything", models: ["*"] }] },
  },
});

test.describe.configure({ timeout: 120_000 });

/** By its grip, to the middle or an edge of another's row. */
async function drag(page: Page, from: Locator, to: Locator, share: number): Promise<void> {
  const grip = await from.getByRole("button", { name: /^Move / }).boundingBox();
  const box = await to.boundingBox();
  if (grip === null || box === null) throw new Error("a row is not in sight");
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2 + 12, { steps: 3 });
  await page.mouse.move(grip.x + grip.width / 2, box.y + box.height * share, { steps: 6 });
  await page.mouse.up();
}

test("who is asked first is set by dragging, by the keyboard and by the menu", async ({
  page,
  house,
  operator,
  provide,
}) => {
  const [left, right] = [await provide(["shared"]), await provide(["shared"])];
  await connect(operator, { name: "left", provider: left, models: ["shared"], more: { priority: 10 } });
  await connect(operator, { name: "right", provider: right, models: ["shared"], more: { priority: 20 } });
  const ask = await asker(house);
  await expectAsked(ask, "shared", left);
  /** Those of the same priority together. */
  const order = async () => {
    const { upstreams } = await operator.call("GET /operator/upstreams");
    const own = upstreams.filter(({ name }) => name === "left" || name === "right");
    const priorities = [...new Set(own.map(({ priority }) => priority))];
    return priorities.map(at => own.filter(({ priority }) => priority === at).map(({ name }) => name));
  };
  await page.goto("/console/operator/upstreams");
  await expect(row(page, "right")).toBeVisible();

  await drag(page, row(page, "right"), row(page, "left"), 0.05);
  await expect.poll(order).toEqual([["right"], ["left"]]);
  await expect(page.getByText("Order saved").first()).toBeVisible();
  await expectAsked(ask, "shared", right);

  await drag(page, row(page, "left"), row(page, "right"), 0.5);
  await expect.poll(order).toEqual([["left", "right"]]);

  await menu(page, "right", "Move down");
  await expect.poll(order).toEqual([["left"], ["right"]]);
  await expectAsked(ask, "shared", left);

  const grip = page.getByRole("button", { name: "Move right", exact: true });
  await grip.focus();
  await page.keyboard.press(" ");
  const said = page.locator("[aria-live=assertive]");
  await expect(said).toContainText("right taken.");
  await page.keyboard.press("ArrowUp");
  await expect(said).toContainText("Shares a place with left.");
  await page.keyboard.press("Escape");
  await expect(said).toContainText("right stays where it was.");
  expect(await order()).toEqual([["left"], ["right"]]);
  await expect(grip).toBeFocused();
  await page.keyboard.press(" ");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press(" ");
  await expect.poll(order).toEqual([["right"], ["left"]]);
  await expect(grip).toBeFocused();
  await expectAsked(ask, "shared", right);
  await menu(page, "left", "Share the place of right");
  await expect.poll(order).toEqual([["left", "right"]]);

  const search = page.getByRole("searchbox", { name: "Find an upstream or model" });
  await search.fill("right");
  await expect(page).toHaveURL(/q=right/);
  await expect(page.getByRole("button", { name: "Move right", exact: true })).toBeDisabled();
  await search.fill("nothing like this");
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await expect(row(page, "left")).toBeVisible();
});

test("a paused upstream is asked nothing until it is resumed", async ({ page, house, operator, provide }) => {
  const [first, second] = [await provide(["paused-model"]), await provide(["paused-model"])];
  const models = ["paused-model"];
  await connect(operator, { name: "main road", provider: first, models, more: { priority: 1 } });
  await connect(operator, { name: "side road", provider: second, models, more: { priority: 9 } });
  const ask = await asker(house);
  await expectAsked(ask, "paused-model", first);
  await page.goto("/console/operator/upstreams");
  const active = page.getByRole("switch", { name: "main road is active" });
  await active.click();
  await expect(page.getByText("main road is paused: nothing is sent there")).toBeVisible();
  await expect(row(page, "main road")).toContainText("paused");
  await expectAsked(ask, "paused-model", second);
  const before = first.asked().length;
  for (let times = 0; times < 5; times += 1) await ask("paused-model");
  expect(first.asked().length).toBe(before);
  await page.getByRole("button", { name: "State: all" }).click();
  await page.getByRole("menuitem", { name: "paused" }).click();
  await expect(page).toHaveURL(/state=paused/);
  await expect(list(page).getByRole("row")).toHaveCount(2);
  await active.focus();
  await page.keyboard.press(" ");
  await expect(page.getByText("main road is asked again")).toBeVisible();
  await expectAsked(ask, "paused-model", first);
});

test.describe("a key that is rejected", () => {
  test.use({ mayLog: /upstream\.credential_refused/ });

  test("is told, with what happened; a reset takes the upstream back", async ({
    page,
    house,
    operator,
    provide,
  }) => {
    const [first, second] = [await provide(["sick-model"]), await provide(["sick-model"])];
    const models = ["sick-model"];
    const made = await connect(operator, { name: "sick", provider: first, models, more: { priority: 1 } });
    await connect(operator, { name: "nurse", provider: second, models, more: { priority: 9 } });
    const ask = await asker(house);
    await expectAsked(ask, "sick-model", first);
    first.fail(401, `key expired ${IMAGE}`);
    await expectAsked(ask, "sick-model", second);
    await page.goto(`/console/operator/upstreams?upstream=${made.id}&part=health`);
    const panel = panelOf(page, "sick");
    await expect(panel.getByText("It rejects a key")).toBeVisible();
    await expect(row(page, "sick")).toContainText("key rejected");
    await expect(row(page, "sick")).toContainText("answered 401: the key is not accepted");
    const events = panel.getByRole("listitem").filter({ hasText: "key rejected" });
    await expect(events.first()).toContainText("answered 401");
    await expect(panel.getByRole("link", { name: "See request" }).first()).toHaveAttribute(
      "href",
      /operator\/usage\?receipt=req_/,
    );
    await expectAccessible(page, "health of a sick upstream");
    await panel.getByRole("tab", { name: "Keys" }).click();
    await expect(panel.getByText("rejected", { exact: true })).toBeVisible();
    first.mend();
    const before = first.asked().length;
    await ask("sick-model");
    expect(first.asked().length).toBe(before);
    await panel.getByRole("button", { name: "Reset" }).click();
    await expect(page.getByText("sick is awake again")).toBeVisible();
    await expectAsked(ask, "sick-model", first);
    await expect(panel.getByText("It rejects a key")).toHaveCount(0);
  });
});
