import { expect, test } from "../stage.ts";

const HOLDER_PAGES = [
  { path: "/console/keys", title: "API keys", link: "API keys" },
  { path: "/console/models", title: "Models", link: "Models" },
  { path: "/console/usage", title: "Usage", link: "Usage" },
  { path: "/console/check", title: "Check connection", link: "Check connection" },
  { path: "/console/account", title: "Account", link: "Account" },
] as const;
const OPEN_PAGES = [
  { path: "/console/sign-in", title: "Sign in" },
  { path: "/console/check", title: "Check connection" },
  { path: "/console/setup#not-a-token", title: "This link does not work" },
] as const;
const FIRST_LOAD_BYTES_MAX = 200 * 1024;

test("every page comes in at most 200 KB gzipped over the wire", async ({ house, watch }) => {
  const guest = await house.guest();
  const places = [
    ...HOLDER_PAGES.map(page => ({ ...page, isSignedIn: true })),
    ...OPEN_PAGES.map(page => ({ ...page, isSignedIn: false })),
  ];
  for (const { path, title, isSignedIn } of places) {
    const context = await watch.open({ extraHTTPHeaders: { "accept-encoding": "gzip" } });
    if (isSignedIn) await guest.enter(context);
    const page = await context.newPage();
    const loads: Promise<{ packed: string | undefined; bytes: number }>[] = [];
    page.on("requestfinished", request => {
      if (request.url().includes("/console/api/")) return;
      const load = async () => ({
        packed: (await request.response())?.headers()["content-encoding"],
        bytes: (await request.sizes()).responseBodySize,
      });
      loads.push(load());
    });
    await page.goto(path, { waitUntil: "networkidle" });
    await expect(page.getByRole("heading", { name: title, exact: true })).toBeVisible();
    const files = await Promise.all(loads);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const kilobytes = `${(bytes / 1024).toFixed(1)} KB in ${files.length} files`;
    test.info().annotations.push({ type: path, description: kilobytes });
    expect(files.map(({ packed }) => packed)).toEqual(files.map(() => "gzip"));
    expect(bytes).toBeGreaterThan(50 * 1024);
    expect({ path, bytes: Math.max(bytes, FIRST_LOAD_BYTES_MAX) }).toEqual({
      path,
      bytes: FIRST_LOAD_BYTES_MAX,
    });
    await context.close();
  }
});

test("where nothing is to move, a change of theme is there at once and everywhere", async ({
  page,
  holder,
}) => {
  expect(holder.email).not.toBe("");
  await page.goto("/console/keys");
  await expect(page.getByText("No key yet")).toBeVisible();
  for (const theme of ["dark", "light"] as const) {
    const found = await page.evaluate(async wanted => {
      document.documentElement.dataset["theme"] = wanted;
      const look = () => {
        const ink = getComputedStyle(document.querySelector("h1") ?? document.body).color;
        return { ink, root: getComputedStyle(document.body).color };
      };
      const atOnce = look();
      const moving = document.getAnimations().length;
      await new Promise(resolve => setTimeout(resolve, 500));
      return { atOnce, moving, later: look() };
    }, theme);
    expect(found.moving).toBe(0);
    expect(found.atOnce).toEqual(found.later);
    expect(found.atOnce.ink).toBe(found.atOnce.root);
  }
});

test("a page change needs no new load, and the page says its name", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  let documents = 0;
  page.on("request", request => {
    if (request.isNavigationRequest()) documents += 1;
  });
  await page.goto("/console/");
  await expect(page).toHaveURL(/\/console\/keys$/);
  await expect(page.getByText("No key yet")).toBeVisible();
  await page.evaluate(() => Object.assign(window, { marker: "still here" }));
  for (const { path, title, link } of [...HOLDER_PAGES].reverse()) {
    await page.getByRole("navigation").getByRole("link", { name: link, exact: true }).click();
    const heading = page.getByRole("heading", { level: 1, name: title, exact: true });
    await expect(heading).toBeVisible();
    await expect(heading).toBeFocused();
    await expect(page).toHaveTitle(`${title} · Wicketgate`);
    expect(new URL(page.url()).pathname).toBe(path);
  }
  expect(await page.evaluate(() => "marker" in window && window.marker)).toBe("still here");
  expect(documents).toBe(1);
});

test("every page stands after a reload, and an unknown one says so", async ({ page, holder }) => {
  expect(holder.email).not.toBe("");
  for (const { path, title } of HOLDER_PAGES) {
    await page.goto(path);
    await page.reload();
    await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
  }
  for (const path of [
    "/console/nowhere",
    "/console/keys/key_x",
    "/console/%3Cscript%3E",
    "/console/usage/1/2",
  ]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
  }
  await page.getByRole("link", { name: "Go to API keys" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
});

test("an operator's page is for operators, and the other's addresses say nothing", async ({
  page,
  holder,
  house,
}) => {
  const other = await house.guest();
  const { key } = await other.makeKey("somebody else's");
  expect(holder.email).not.toBe(other.email);
  await page.goto("/console/operator/accounts");
  await expect(page.getByText("This page is for operators")).toBeVisible();
  await expect(page.getByText(other.email)).toHaveCount(0);
  for (const id of [key.id, "key_unknown"]) {
    for (const show of ["use", "edit", "rotate", "delete", "import"]) {
      await page.goto(`/console/keys?show=${show}&key=${id}`);
      await expect(page.getByText("There is no such key")).toBeVisible();
      await expect(page.getByText("somebody else's")).toHaveCount(0);
    }
  }
});
