import type { Page } from "@playwright/test";
import type { House } from "./house.ts";
import { type Provider, startProvider } from "./provider.ts";
import { test as base, expect } from "./stage.ts";
import { askModel, type Visitor } from "./visitor.ts";

/** What walks over upstreams have: an operator who is signed in, providers on loopback, and somebody who asks. */

export const SECRET = "sk-canary-0123456789abcdefghij";
export const PRICE = { input: "1", output: "2", cache_read: "1", cache_write_5m: "1", cache_write_1h: "1" };

type Parts = {
  operator: Visitor;
  /** Each is gone after the test. */
  provide: (models: readonly string[], answer?: string) => Promise<Provider>;
};

export const test = base.extend<Parts>({
  operator: async ({ house, context }, use) => {
    const operator = await house.operator();
    await operator.enter(context);
    await use(operator);
  },
  provide: async ({ house: _house }, use) => {
    const made: Provider[] = [];
    await use(async (models, answer) => {
      const provider = await startProvider(models, answer);
      made.push(provider);
      return provider;
    });
    for (const provider of made) await provider.close();
  },
});

export const list = (page: Page) => page.getByRole("table", { name: /^Upstreams, in the order/ });
export const row = (page: Page, name: string) => list(page).getByRole("row").filter({ hasText: name });
export const panelOf = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });

export type Connecting = { name: string; provider: Provider; models: readonly string[]; more?: object };

export function connect(operator: Visitor, { name, provider, models, more }: Connecting) {
  return operator.call("POST /operator/upstreams", {
    body: {
      ...{ name, kind: "openai-compatible", base_url: provider.baseUrl, api_key: SECRET },
      models: models.map(model => ({ model, upstream_model: model, price: PRICE })),
      ...more,
    },
  });
}

export async function named(operator: Visitor, name: string) {
  const { upstreams } = await operator.call("GET /operator/upstreams");
  return upstreams.find(one => one.name === name);
}

/** Somebody with a key for every model. */
export async function asker(house: House): Promise<(model: string) => Promise<Response>> {
  const guest = await house.guest();
  const { string } = await guest.makeKey("any", "everything");
  return async model => {
    const answer = await askModel(house.root, string, { model });
    await answer.arrayBuffer();
    return answer;
  };
}

/** Asks until the one that is meant answers: changes reach the gateway within a moment. */
export async function expectAsked(ask: (model: string) => Promise<Response>, model: string, meant: Provider) {
  await expect(async () => {
    const before = meant.asked().length;
    expect((await ask(model)).status).toBe(200);
    expect(meant.asked().length).toBe(before + 1);
  }).toPass({ timeout: 5_000, intervals: [100] });
}

export async function menu(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: entry, exact: true }).click();
}
