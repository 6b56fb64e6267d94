import { furnish } from "../furnish.ts";
import { expect, test } from "../stage.ts";
import { delay, makeKey, signOut } from "../steps.ts";
import { askModel } from "../visitor.ts";

const NAMES = [
  `<b>bold</b> & "quotes" <script>x</script>`,
  "👩‍👩‍👧‍👦 family 🏳️‍🌈 café",
  "מפתח למחשב النص العربي",
  "钥匙 · 笔记本电脑",
];

test("names are text: markup, emoji, right to left", async ({ page, holder }) => {
  await page.goto("/console/keys");
  for (const name of NAMES) {
    await makeKey(page, { name, group: "standard" });
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await expect(page.getByRole("table").getByText(name, { exact: true })).toBeVisible();
  }
  const { keys } = await holder.call("GET /keys");
  expect(keys.map(({ name }) => name).sort()).toEqual([...NAMES].map(name => name.normalize("NFC")).sort());
  await page.getByLabel("Find a key").fill("笔记本");
  await expect(page.getByText("1 of 4 keys")).toBeVisible();
});

test("a name that is too long is told in a sentence, and nothing is sent", async ({ page, holder }) => {
  await page.goto("/console/keys?show=create");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("n".repeat(10_000));
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("The name is 9,900 characters too long: 100 at most.")).toBeVisible();
  await dialog.getByLabel("Name", { exact: true }).fill("turned \u202e around");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Name", { exact: true }).fill("short");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("Your key, this one time")).toBeVisible();
  expect((await holder.call("GET /keys")).keys).toHaveLength(1);
});

test("a name that is taken is told at its field, and the form is kept", async ({ page, holder }) => {
  await holder.makeKey("twice");
  // Groups that come late are waited for: nobody is asked to choose one before.
  await delay(page, "**/console/api/groups", 600);
  await page.goto("/console/keys?show=create");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("twice");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue("twice");
  await expect(dialog.getByRole("alert")).toHaveCount(1);
});

test("a double click on Create makes one key", async ({ page, holder }) => {
  let posts = 0;
  page.on("request", request => {
    if (request.method() === "POST" && request.url().endsWith("/api/keys")) posts += 1;
  });
  await page.goto("/console/keys?show=create");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("clicked twice");
  await expect(dialog.getByRole("radio", { name: /^standard/ })).toBeVisible();
  await dialog.getByRole("button", { name: "Create key" }).dblclick();
  await expect(dialog.getByText("Your key, this one time")).toBeVisible();
  expect(posts).toBe(1);
  expect((await holder.call("GET /keys")).keys).toHaveLength(1);
});

test("a connection lost before the server heard of it makes no key, and the form stays", async ({
  page,
  holder,
}) => {
  await page.goto("/console/keys?show=create");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("lost on the way");
  await expect(dialog.getByRole("radio", { name: /^standard/ })).toBeVisible();
  await page.route("**/api/keys", route =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("“lost on the way” was not made. You can create it now.")).toBeVisible();
  await expect(dialog.getByLabel("Name", { exact: true })).toHaveValue("lost on the way");
  await page.unroute("**/api/keys");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("Your key, this one time")).toBeVisible();
  expect((await holder.call("GET /keys")).keys).toHaveLength(1);
});

test("a connection lost after the key was made says so, and what to do", async ({ page, holder }) => {
  await page.goto("/console/keys?show=create");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("made but lost");
  await expect(dialog.getByRole("radio", { name: /^standard/ })).toBeVisible();
  await page.route("**/api/keys", async route => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  await dialog.getByRole("button", { name: "Create key" }).click();
  await expect(dialog.getByText("its string was lost on the way")).toBeVisible();
  await page.unroute("**/api/keys");
  await dialog.getByRole("button", { name: "Rotate it" }).click();
  await expect(dialog.getByText("Rotate “made but lost”")).toBeVisible();
  expect((await holder.call("GET /keys")).keys).toHaveLength(1);
});

test("offline is said, what was seen stays, and it goes on by itself", async ({ page, holder, context }) => {
  await holder.makeKey("seen before");
  await page.goto("/console/keys");
  await expect(page.getByText("seen before")).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText("You are offline. What you see may be old.")).toBeVisible();
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByText("seen before")).toBeVisible();
  await holder.makeKey("made meanwhile");
  await context.setOffline(false);
  await expect(page.getByText("You are offline. What you see may be old.")).toHaveCount(0);
  await expect(page.getByText("made meanwhile")).toBeVisible();
});

test("a list that cannot be had says why, and a click has it again", async ({ page, holder }) => {
  await holder.makeKey("still there");
  await page.route("**/api/keys", route => route.abort());
  await page.goto("/console/keys");
  await expect(
    page.getByText("The server could not be reached. Check the connection and try again."),
  ).toBeVisible({
    timeout: 15_000,
  });
  await page.unroute("**/api/keys");
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("still there")).toBeVisible();
});

test("a tab left open after signing out elsewhere says so and leads back", async ({
  page,
  holder,
  context,
}) => {
  await holder.makeKey("of the holder");
  await page.goto("/console/usage?range=7d");
  await expect(page.getByRole("heading", { level: 1, name: "Usage" })).toBeVisible();
  const second = await context.newPage();
  await second.goto("/console/keys");
  await signOut(second);
  await second.close();
  // The log asks by itself what is new, and so notices.
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(page.getByText("You were signed out. Sign in again to go on where you were.")).toBeVisible();
  await expect(page.getByText("of the holder")).toHaveCount(0);
});

test("somebody else's receipt is no receipt", async ({ page, holder, house }) => {
  const other = await house.guest();
  const { string } = await other.makeKey("theirs");
  await (await askModel(house.root, string, { model: "gpt-5" })).text();
  const { rows } = await other.call("GET /usage");
  expect(holder.email).not.toBe(other.email);
  for (const id of [rows[0]?.id ?? "", "req_00000000000000000000000000", "<img>"]) {
    await page.goto(`/console/usage?receipt=${encodeURIComponent(id)}`);
    await expect(page.getByText("No such request")).toBeVisible();
    await expect(page.getByText("theirs")).toHaveCount(0);
  }
});

test("filters stand in the address; back, forward and reload keep them", async ({ page, holder, house }) => {
  await furnish(house, holder);
  await page.goto("/console/usage");
  const rows = page.getByRole("table", { name: "Requests, newest first" }).getByRole("row");
  await expect(rows.filter({ hasText: "claude-haiku" }).first()).toBeVisible();
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitem", { name: "gpt-5", exact: true }).click();
  await expect(page).toHaveURL(/model=gpt-5/);
  await expect(rows.filter({ hasText: "claude-haiku" })).toHaveCount(0);
  await page.getByRole("navigation").getByRole("link", { name: "Models", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/model=gpt-5/);
  await expect(rows.filter({ hasText: "gpt-5" }).first()).toBeVisible();
  await expect(rows.filter({ hasText: "claude-haiku" })).toHaveCount(0);
  await page.goForward();
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  await page.goBack();
  await page.reload();
  await expect(rows.filter({ hasText: "gpt-5" }).first()).toBeVisible();
  await expect(rows.filter({ hasText: "claude-haiku" })).toHaveCount(0);
});

test("a key made in one tab is in the other", async ({ page, holder, context }) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/keys");
  await expect(page.getByText("No key yet")).toBeVisible();
  const second = await context.newPage();
  await second.goto("/console/keys");
  await makeKey(second, { name: "from the other tab", group: "standard" });
  await second.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("from the other tab")).toBeVisible();
});
