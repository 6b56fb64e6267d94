import { expectAccessible } from "../axe.ts";
import { CATALOGUE } from "../catalogue.ts";
import { PAYLOADS } from "../payloads.ts";
import { expect } from "../stage.ts";
import { expectFits } from "../steps.ts";
import { asker, connect, expectAsked, menu, named, panelOf, row, SECRET, test } from "../upstream-steps.ts";

/** Connecting, changing and removing upstreams; what the page does is seen at the gateway. */

const [IMAGE = "", SCRIPT = ""] = PAYLOADS;

test.use({
  plan: {
    catalogue: { ...CATALOGUE, groups: [...CATALOGUE.groups, { name: "everything", models: ["*"] }] },
  },
});

test.describe.configure({ timeout: 120_000 });

test("from a provider's name to an answered request in a few actions", async ({
  page,
  house,
  operator,
  provide,
}) => {
  const provider = await provide(["alpha", "beta", "gamma"]);
  const ask = await asker(house);
  await page.goto("/console/operator/upstreams");
  await expect(row(page, "own demo")).toBeVisible();
  let actions = 0;
  const act = async (what: Promise<unknown>) => {
    actions += 1;
    await what;
  };
  await act(page.getByRole("button", { name: "Connect an upstream" }).click());
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("searchbox", { name: "Find a provider" })).toBeFocused();
  await expect(dialog.getByRole("button", { name: /^OpenRouter/ })).toBeVisible();
  await expectAccessible(page, "providers");
  await act(page.keyboard.type("speaks openai"));
  await expect(dialog.getByRole("list", { name: "Providers" }).getByRole("button")).toHaveCount(1);
  await act(page.keyboard.press("Enter"));
  await expect(dialog.getByLabel("Base address")).toBeFocused();
  await act(dialog.getByLabel("Base address").fill(provider.baseUrl));
  await act(dialog.getByLabel("API key").fill(SECRET));
  await act(dialog.getByLabel("Name", { exact: true }).fill("first"));
  await expectAccessible(page, "its key");
  await act(dialog.getByRole("button", { name: "Look for models" }).click());
  await expect(dialog.getByText("3 models found.")).toBeVisible();
  await act(dialog.getByRole("checkbox", { name: /^gamma/ }).click());
  await expect(dialog.getByText("2 chosen models have no price")).toBeVisible();
  await act(dialog.getByLabel("Input price of alpha").fill("1.5"));
  await expect(dialog.getByText("1 chosen model has no price")).toBeVisible();
  await act(dialog.getByLabel("Output price of alpha").fill("6"));
  await expectAccessible(page, "its models");
  await act(dialog.getByRole("button", { name: "Connect", exact: true }).click());
  await expect(dialog.getByText("It works")).toBeVisible();
  await expect(dialog.getByText("ready indeed")).toBeVisible();
  await expect(dialog.getByText("1 model has no price yet")).toBeVisible();
  await expect(dialog.getByText("Offered by: everything")).toBeVisible();
  await expectAccessible(page, "connected");
  await act(dialog.getByRole("button", { name: "Done" }).click());
  await expect(dialog).toHaveCount(0);
  await expect(row(page, "first")).toContainText("openai-compatible");
  test.info().annotations.push({ type: "actions to connect", description: String(actions) });
  expect(actions).toBeLessThan(15);

  expect(await page.content()).not.toContain(SECRET);
  const { models } = await operator.call("GET /operator/models");
  expect(models.find(({ name }) => name === "alpha")?.price).toMatchObject({ input: "1.5", output: "6" });
  expect(models.find(({ name }) => name === "beta")?.price).toBeNull();
  expect(models.map(({ name }) => name)).not.toContain("gamma");
  await expectAsked(ask, "alpha", provider);
  expect(new Set(provider.keys())).toEqual(new Set([SECRET]));
});

test("what is wrong is said where it is, and whoever knows better goes on by hand", async ({
  page,
  operator,
  provide,
}) => {
  const provider = await provide(["alpha"]);
  await page.goto("/console/operator/upstreams?show=add");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^OpenAI/ }).click();
  await expect(dialog.getByLabel("API key")).toBeFocused();
  await dialog.getByRole("button", { name: "Look for models" }).click();
  await expect(dialog.getByText("Paste a key: this provider answers to a key alone.")).toBeVisible();
  await dialog.getByRole("button", { name: "Back" }).click();
  await dialog.getByRole("button", { name: /^Anything that speaks OpenAI/ }).click();
  await dialog.getByLabel("Name", { exact: true }).fill("own demo");
  await dialog.getByRole("button", { name: "Look for models" }).click();
  await expect(dialog.getByText("Another upstream has this name.")).toBeVisible();
  await expect(dialog.getByText("Enter its address.")).toBeVisible();
  await dialog.getByLabel("Name", { exact: true }).fill("by hand");
  await dialog.getByLabel("Base address").fill(`${provider.baseUrl}/chat/completions`);
  await dialog.getByRole("button", { name: "Look for models" }).click();
  await expect(
    dialog.getByText(/to which the gateway adds \/chat\/completions by itself/).first(),
  ).toBeVisible();
  await expectAccessible(page, "what is wrong");
  await dialog.getByLabel("Base address").fill("http://127.0.0.1:9/v1");
  await dialog.getByRole("button", { name: "Look for models" }).click();
  await expect(dialog.getByText(/Nothing listens at 127\.0\.0\.1:9/)).toBeVisible();
  await dialog.getByRole("button", { name: "Enter models by hand" }).click();
  await expect(dialog.getByLabel("Models")).toBeFocused();
  await dialog.getByLabel("Models").fill("quick = alpha\nquick = beta");
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(dialog.getByText("quick is there twice.")).toBeVisible();
  expect(await named(operator, "by hand")).toBeUndefined();
  await dialog.getByLabel("Models").fill("quick = alpha");
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(dialog.getByText("It does not work yet")).toBeVisible();
  expect((await named(operator, "by hand"))?.models).toEqual([{ model: "quick", upstream_model: "alpha" }]);
  await dialog.getByRole("button", { name: "Open it" }).click();
  await expect(panelOf(page, "by hand")).toBeVisible();
  await expect(page).toHaveURL(/upstream=ups_/);
});

test("every field, its models and its keys are changed, and the change is seen outside", async ({
  page,
  house,
  operator,
  provide,
}) => {
  const provider = await provide(["one", "two"]);
  const { id } = await connect(operator, { name: "plain", provider, models: ["one"] });
  const ask = await asker(house);
  await page.goto(`/console/operator/upstreams?upstream=${id}`);
  const panel = panelOf(page, "plain");
  await panel.getByRole("button", { name: "Edit" }).first().click();
  const edit = page.getByRole("dialog", { name: "Edit upstream" });
  await expect(edit.getByRole("button", { name: "Save" })).toBeDisabled();
  await edit.getByLabel("Weight").fill("0");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit.getByText(/One of the numbers is out of its bounds/)).toBeVisible();
  await edit.getByLabel("Name", { exact: true }).fill("own demo");
  await edit.getByLabel("Weight").fill("7");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit.getByText("There is an upstream “own demo” already: choose another name.")).toBeVisible();
  await edit.getByLabel("Name", { exact: true }).fill("fancy");
  await edit.getByLabel("Priority").fill("3");
  await edit.getByLabel("Requests at once").fill("9");
  await edit.getByLabel("Probe every, in minutes").fill("30");
  await edit.getByLabel("Our cost").fill("0.8");
  await edit.getByRole("checkbox", { name: "Messages" }).click();
  await expectAccessible(page, "editing");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("fancy saved")).toBeVisible();
  expect(await named(operator, "fancy")).toMatchObject({
    ...{ id, priority: 3, weight: 7, max_concurrency: 9, probe_minutes: 30, cost_multiplier: "0.8" },
    speaks: ["chat", "messages"],
  });

  const fancy = panelOf(page, "fancy");
  await fancy.getByRole("button", { name: "Edit" }).first().click();
  await edit.getByLabel("Base address").fill(provider.baseUrl.replace("127.0.0.1", "localhost"));
  await expect(edit.getByLabel("Key for the new address")).toBeVisible();
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit.getByText(/give its key again/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(edit).toHaveCount(0);
  await expect(fancy).toBeVisible();

  await fancy.getByRole("tab", { name: "Models" }).click();
  await fancy.getByRole("button", { name: "Edit models" }).click();
  const models = page.getByRole("dialog", { name: "Models of fancy" });
  await models.getByRole("button", { name: "Ask it for its models" }).click();
  await expect(models.getByText("1 more that is not in the list.")).toBeVisible();
  await models.getByRole("button", { name: "two", exact: true }).click();
  await expect(models.getByLabel("Models", { exact: true })).toHaveValue("one\ntwo");
  await expectAccessible(page, "models of an upstream");
  await models.getByLabel("Models", { exact: true }).fill("fast = two");
  await expect(models.getByText("1 model is taken away: one")).toBeVisible();
  await models.getByLabel("Models", { exact: true }).fill("one\none = two");
  await expect(models.getByText("one is there twice.")).toBeVisible();
  await models.getByLabel("Models", { exact: true }).fill("one = two");
  await models.getByRole("button", { name: "Save" }).click();
  await expect(fancy.getByRole("cell", { name: "two" })).toBeVisible();
  await expect(async () => {
    await ask("one");
    expect(provider.asked().at(-1)).toBe("two");
  }).toPass({ timeout: 5_000 });

  await fancy.getByRole("tab", { name: "Keys" }).click();
  await fancy.getByRole("button", { name: "Add a key" }).click();
  const adding = page.getByRole("dialog", { name: "Add a key" });
  await adding.getByRole("button", { name: "Add key" }).click();
  await expect(adding.getByText("Enter a key.")).toBeVisible();
  await adding.getByLabel("Key", { exact: true }).fill(SECRET);
  await adding.getByRole("button", { name: "Add key" }).click();
  await expect(adding.getByText("This upstream has this very key already.")).toBeVisible();
  await adding.getByLabel("Key", { exact: true }).fill("sk-the-second-key-of-many-characters");
  await adding.getByRole("button", { name: "Add key" }).click();
  await expect(page.getByText("Key added to fancy")).toBeVisible();
  await expect(fancy.getByText("…ters")).toBeVisible();
  await expectAccessible(page, "keys of an upstream");
  await expect(async () => {
    await ask("one");
    expect(provider.keys()).toContain("sk-the-second-key-of-many-characters");
  }).toPass({ timeout: 5_000 });
  await fancy.getByRole("button", { name: "Remove the key …ghij" }).click();
  await page
    .getByRole("dialog", { name: "Remove the key …ghij?" })
    .getByRole("button", { name: "Remove key" })
    .click();
  await expect(page.getByText("Key …ghij removed")).toBeVisible();
  await expect(async () => {
    for (let times = 0; times < 4; times += 1) await ask("one");
    expect(new Set(provider.keys().slice(-4))).toEqual(new Set(["sk-the-second-key-of-many-characters"]));
  }).toPass({ timeout: 5_000 });

  await fancy.getByRole("tab", { name: "Overview" }).click();
  await fancy.getByRole("button", { name: "Send a test call" }).click();
  await expect(fancy.getByText("It works")).toBeVisible();
  await expect(fancy.getByText("ready indeed")).toBeVisible();
  await expectAccessible(page, "a test call");
  const { entries } = await operator.call("GET /operator/audit", { query: { limit: "20" } });
  expect(JSON.stringify(entries)).not.toContain("sk-the-second");
  expect(entries.filter(({ noun }) => noun === "credential")).toHaveLength(2);
});

test("removing one says which models nobody serves then, and asks for its name", async ({
  page,
  house,
  operator,
  provide,
}) => {
  const provider = await provide(["lonely", "common"]);
  await connect(operator, { name: "leaving", provider, models: ["lonely", "common"] });
  await connect(operator, { name: "staying", provider, models: ["common"] });
  const ask = await asker(house);
  await page.goto("/console/operator/upstreams");
  await menu(page, "leaving", "Remove");
  const dialog = page.getByRole("dialog", { name: "Remove leaving?" });
  await expect(dialog.getByText("Nobody else serves 1 model")).toBeVisible();
  await expect(dialog.getByRole("listitem")).toHaveText(["lonely"]);
  await expect(dialog.getByRole("button", { name: "Remove", exact: true })).toBeDisabled();
  await expectAccessible(page, "removing");
  await dialog.getByRole("textbox").fill("leaving");
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(page.getByText("leaving removed. 1 model has no upstream now.")).toBeVisible();
  await expect(row(page, "leaving")).toHaveCount(0);
  await expect.poll(async () => (await ask("lonely")).status).toBeGreaterThanOrEqual(400);
  expect((await ask("common")).status).toBe(200);
});

test("names, models and answers that are markup are text", async ({ page, operator, provide }) => {
  const model = "<img/src=x/onerror=window.hit=1>";
  const provider = await provide([model], `${SCRIPT}${IMAGE}`);
  const { id } = await connect(operator, { name: `up ${IMAGE}`, provider, models: [model] });
  for (const path of [
    "",
    `?upstream=${id}`,
    ...["models", "keys", "health"].map(part => `?upstream=${id}&part=${part}`),
  ]) {
    await page.goto(`/console/operator/upstreams${path}`);
    await expect(row(page, IMAGE)).toBeVisible();
  }
  await page.goto(`/console/operator/upstreams?upstream=${id}`);
  await page.getByRole("button", { name: "Send a test call" }).click();
  await expect(page.getByText(SCRIPT).first()).toBeVisible();
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  expect(await page.locator("img, iframe, main script, [onerror]").count()).toBe(0);
  await operator.call("DELETE /operator/upstreams/{id}", { params: { id } });
});

test("on a phone, in Chinese and in the dark it is whole too", async ({
  house,
  operator,
  watch,
  provide,
}) => {
  const provider = await provide(["alpha"]);
  const { id } = await connect(operator, { name: "small", provider, models: ["alpha"] });
  const context = await watch.open({
    ...{ viewport: { width: 390, height: 844 }, locale: "zh-CN", colorScheme: "dark" },
  });
  await operator.enter(context);
  const page = await context.newPage();
  for (const path of ["", `?upstream=${id}`, `?upstream=${id}&part=health`, "?show=add"]) {
    await page.goto(`${house.root}/console/operator/upstreams${path}`);
    // Under a dialog it is hidden from whoever asks for it by its role.
    await expect(page.locator("h1")).toHaveText("上游");
    await page.waitForLoadState("networkidle");
    await expectAccessible(page, `upstreams${path} on a phone`);
    await expectFits(page, path);
  }
});

test("a holder sees nothing of it", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/operator/upstreams");
  await expect(page.getByText("This page is for operators")).toBeVisible();
  await expect(page.getByText("own demo")).toHaveCount(0);
});
