import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hkdfSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idMaker } from "../domain/ids.ts";
import { keyHash } from "../domain/key-hash.ts";
import { isMarkOf } from "../store/audit-mark.ts";
import { openStore } from "../store/open.ts";
import { freshDatabase } from "../store/postgres/server-test-rig.ts";
import { SEALED_TABLES } from "../store/sealed-rows.ts";
import type { Store } from "../store/store.ts";
import { unseal } from "../upstream/seal.ts";
import { applySchema } from "./apply-schema.ts";
import { toApplySpec } from "./apply-spec.ts";
import { BOUND_TO } from "./bound-to.ts";
import type { Control } from "./control.ts";
import { type HouseSecrets, openSecrets, refreshSealKeys } from "./house-secrets.ts";
import { keepSettings } from "./house-settings.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { changeSettings } from "./settings.ts";
import { sealTotp } from "./sign-in/totp.ts";
import { makeWebhook, renewSecret } from "./webhooks.ts";

const ORIGIN = "https://models.example.org";
const KEYS = 230;

/** As secret.ts derives them. */
function secretsOf(master: string): HouseSecrets {
  const derive = (purpose: string) => new Uint8Array(hkdfSync("sha256", master, "wicketgate", purpose, 32));
  return {
    ...{ lookup: derive("key lookup"), mark: derive("credential mark"), codes: derive("redemption code") },
    ...{ demoKey: derive("demo key"), wrap: derive("wrap"), audit: derive("audit chain") },
    // One that came to the house later.
    ...{ another: derive("another") },
    seal: { newest: derive("seal"), others: [] },
    houseMark: Buffer.from(derive("house mark")).toString("hex"),
  };
}

const [OLD, NEXT, THIRD] = ["the old one", "the next one", "a third one"];
const newId = idMaker({ nowMs: Date.now, randomBytes });
const places = [
  ["SQLite", async () => null],
  ["PostgreSQL", freshDatabase],
] as const;

describe.each(places)("on %s,", (_, freshUrl) => {
  let dataDir: string;
  let store: Store;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), "wicketgate-rotate-"));
    const options = { nowMs: Date.now, bootId: newId("boot"), log: () => {} };
    store = await openStore({ dataDir, databaseUrl: await freshUrl() }, options);
    await furnish();
  });
  afterEach(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Two upstream keys, many API keys, a second factor, two settings, two secrets of a webhook: under the old secret. */
  async function furnish(): Promise<void> {
    const secrets = secretsOf(OLD);
    await openSecrets(store, secrets);
    const { settings } = await keepSettings({ store, secrets, fixed: {}, log: () => {} });
    const control: Control = {
      ...{ store, newId, randomBytes, secrets, settings, fixedSettings: {}, nowMs: Date.now },
      ...({ actor: "tester", through: "apply", address: null } as const),
    };
    const document = applySchema.parse({
      upstreams: [
        {
          name: "up",
          kind: "openai-compatible",
          base_url: `${ORIGIN}/v1`,
          api_keys: ["one", "two"],
          models: ["m"],
        },
      ],
      groups: [{ name: "g", models: ["m"] }],
      accounts: [{ email: "ann@example.org" }],
      keys: Array.from({ length: KEYS }, (_, at) => ({
        account: "ann@example.org",
        name: `k${at}`,
        group: "g",
      })),
    });
    const { spec } = toApplySpec(control, document, false);
    expect((await store.run("apply", spec)).problems).toEqual([]);
    const accountId = spec.accounts[0]?.id ?? "acc_";
    const totp = sealTotp("second factor", { key: secrets.seal, accountId });
    const { by } = spec;
    await store.run("profile.change", { accountId, change: { totp }, by });
    const secret = { smtp_user: "gate", smtp_password: "of the mail", oidc_client_secret: "of the client" };
    expect(await changeSettings(control, secret)).toEqual([]);
    const hook = { name: "hook", url: "https://example.org/hook", events: ["key.created"] as const };
    const { webhook } = await makeWebhook(control, hook, { privateHosts: [] });
    await renewSecret(control, webhook.id);
  }

  async function settingsUnder(secrets: HouseSecrets) {
    return (await keepSettings({ store, secrets, fixed: {}, log: () => {} })).settings();
  }

  async function rotate(to: string, through: Pick<Store, "run"> = store, from = OLD) {
    const old = secretsOf(from);
    await openSecrets(through, old);
    return rotateSecret({
      ...{ store: through, old, next: secretsOf(to) },
      ...{ settle: async () => {}, onProgress: () => {} },
      by: { actor: "tester", through: "command line", address: null, nowMs: Date.now() },
    });
  }

  /** How many sealed things these keys open, of all. */
  async function opens(key: HouseSecrets["seal"]): Promise<[opened: number, all: number]> {
    let [opened, all] = [0, 0];
    for (const table of SEALED_TABLES) {
      const rows = await store.run("sealed.page", { table, after: "", limit: 10_000 });
      for (const { bound, sealed } of rows) {
        const boundTo = BOUND_TO[table](bound) ?? "";
        all += 1;
        if (unseal(sealed, { key, boundTo }) !== null) opened += 1;
      }
    }
    return [opened, all];
  }

  const ALL = KEYS + 7;

  test("everything opens with the new secret, and nothing with the old one", async () => {
    expect(await opens(secretsOf(OLD).seal)).toEqual([ALL, ALL]);
    expect(await rotate(NEXT)).toEqual({ resealed: ALL, unreadable: 0 });
    expect(await opens(secretsOf(OLD).seal)).toEqual([0, ALL]);
    expect(await opens(secretsOf(NEXT).seal)).toEqual([ALL, ALL]);
    const known = { smtpPassword: "of the mail", oidcClientSecret: "of the client" };
    expect(await settingsUnder(secretsOf(NEXT))).toMatchObject(known);
    expect(await settingsUnder(secretsOf(OLD))).toMatchObject({ smtpPassword: null, oidcClientSecret: null });
    const refused = await openSecrets(store, secretsOf(OLD)).catch((error: Error) => error.message);
    expect(refused).toContain("another master secret");
    const { peppers, sealKeys } = await store.run("house.keys", {});
    expect(sealKeys).toBeNull();
    const wrapped = new Uint8Array(Buffer.from(peppers ?? "", "base64"));
    expect(unseal(wrapped, { key: secretsOf(OLD).wrap, boundTo: "peppers" })).toBeNull();
  });

  test("a key is found by its string as before, also after a second change", async () => {
    const before = keyHash(secretsOf(OLD).lookup, "a string");
    await rotate(NEXT);
    await rotate(THIRD, store, NEXT);
    const now = secretsOf(THIRD);
    expect(keyHash(now.lookup, "a string")).not.toBe(before);
    await openSecrets(store, now);
    expect(keyHash(now.lookup, "a string")).toBe(before);
    expect(now.codes).toEqual(secretsOf(OLD).codes);
    expect(now).toMatchObject({ another: Reflect.get(secretsOf(OLD), "another") });
    expect(now.wrap).toEqual(secretsOf(THIRD).wrap);
    expect(await opens(now.seal)).toEqual([ALL, ALL]);
    expect(await opens(secretsOf(NEXT).seal)).toEqual([0, ALL]);
  });

  test("a process that runs with the old secret opens everything at every step, and seals for the new one", async () => {
    const running = secretsOf(OLD);
    await openSecrets(store, running);
    const steps: string[] = [];
    const watched: Pick<Store, "run"> = {
      run: (async (name, args) => {
        const result = await store.run(name, args);
        if (name.startsWith("house.") || name === "sealed.replace") {
          await refreshSealKeys(store, running);
          expect(await opens(running.seal)).toEqual([ALL, ALL]);
          steps.push(name);
        }
        return result;
      }) as Store["run"],
    };
    await rotate(NEXT, watched);
    // Keys go in pages of a hundred.
    expect(steps.filter(name => name === "sealed.replace").length).toBe(8);
    expect(Buffer.from(running.seal.newest)).toEqual(Buffer.from(secretsOf(NEXT).seal.newest));
    // And so on: it has never been started with the secret that is changed now.
    await rotate(THIRD, watched, NEXT);
    expect(Buffer.from(running.seal.newest)).toEqual(Buffer.from(secretsOf(THIRD).seal.newest));
  });

  test("interrupted anywhere, one of the two secrets opens everything, and it goes on when called again", async () => {
    for (let breaksAt = 1, isDone = false; !isDone; breaksAt++) {
      const [from, to] = breaksAt % 2 === 1 ? [OLD, NEXT] : [NEXT, OLD];
      let calls = 0;
      const breaking: Pick<Store, "run"> = {
        run: (name, args) => {
          calls += 1;
          return calls === breaksAt ? Promise.reject(new Error("killed")) : store.run(name, args);
        },
      };
      isDone = await rotate(to, breaking, from).then(
        () => true,
        () => false,
      );
      const { mark } = await store.run("house.keys", {});
      const isOld = isMarkOf(mark ?? "", secretsOf(from).houseMark);
      const holder = secretsOf(isOld ? from : to);
      await openSecrets(store, holder);
      // After the last step but one, only what was sealed meanwhile could be missing.
      expect(await opens(holder.seal)).toEqual([ALL, ALL]);
      if (isOld) await rotate(to, store, from);
      expect(await opens(secretsOf(to).seal)).toEqual([ALL, ALL]);
      expect(await opens(secretsOf(from).seal)).toEqual([0, ALL]);
    }
  });

  test("begun with one new secret and finished with another, nothing is lost", async () => {
    let replaced = 0;
    const breaking: Pick<Store, "run"> = {
      run: (name, args) => {
        if (name === "sealed.replace") replaced += 1;
        return replaced === 3 ? Promise.reject(new Error("killed")) : store.run(name, args);
      },
    };
    expect(await rotate(NEXT, breaking).catch((error: Error) => error.message)).toBe("killed");
    expect(await rotate(THIRD)).toMatchObject({ unreadable: 0 });
    expect(await opens(secretsOf(THIRD).seal)).toEqual([ALL, ALL]);
    expect(await opens(secretsOf(NEXT).seal)).toEqual([0, ALL]);
  });
});
