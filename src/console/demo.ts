import type { Upstream } from "../domain/catalogue.ts";
import { keyHash } from "../domain/key-hash.ts";
import { deriveKeyString, previewKeyString } from "../domain/key-string.ts";
import { NO_LIMITS } from "../domain/limits.ts";
import { NANOS_PER_USD } from "../domain/money.ts";
import { byOf, type Control } from "./control.ts";

/** The demonstration that a new installation comes with: a model, a group, an account with a little balance, a key. */
export const DEMO_MODEL = "demo";
const DEMO_EMAIL = "demo@wicketgate.local";
const DEMO_BALANCE = 10n * NANOS_PER_USD;

export type DemoMode = "auto" | "on" | "off";

export function demoIsOn(mode: DemoMode, upstreams: readonly Upstream[]): boolean {
  return mode === "on" || (mode === "auto" && upstreams.length === 0);
}

/** Not a row: it is there while no other upstream is, and goes by itself. */
export function demoUpstream(control: Pick<Control, "newId">): Upstream {
  return {
    id: control.newId("ups"),
    name: "demo",
    kind: "demo",
    baseUrl: null,
    speaks: ["chat", "responses", "messages"],
    credentials: [],
    priority: 1_000,
    weight: 1,
    concurrencyMax: null,
    probeMinutes: null,
    resetAtMs: null,
    isPaused: false,
    cost: 10_000,
    models: new Map([[DEMO_MODEL, DEMO_MODEL]]),
  };
}

/**
 * The key is derived from the master secret, so that each start can print it although no string is stored. Null where
 * the operator has deleted it, or it was made under another master secret.
 */
export async function ensureDemo(control: Control, material: Uint8Array): Promise<string | null> {
  const { newId } = control;
  const key = deriveKeyString(material);
  const hash = keyHash(control.secrets.lookup, key);
  const none = 0n;
  const price = {
    id: newId("prc"),
    inputPicos: 100_000n,
    cacheReadPicos: none,
    cacheWrite5mPicos: none,
    cacheWrite1hPicos: none,
    outputPicos: 400_000n,
    requestPicos: none,
    tiers: [],
  };
  const limits = { ...NO_LIMITS, quota: null, expiresAtMs: null };
  const secret = { hash, preview: previewKeyString(key), sealed: null, custom: false };
  const result = await control.store.run("apply", {
    upstreams: [],
    models: [{ id: newId("mdl"), name: DEMO_MODEL, contextTokens: 128_000, outputTokensMax: 16_384, price }],
    groups: [
      {
        id: newId("grp"),
        name: "demo",
        enabled: true,
        multiplier: 10_000,
        models: [DEMO_MODEL],
        billing: "balance",
        limits: NO_LIMITS,
        description: null,
        accounts: null,
      },
    ],
    plans: [],
    accounts: [
      {
        id: newId("acc"),
        ledgerId: newId("led"),
        email: DEMO_EMAIL,
        role: "holder",
        balance: DEMO_BALANCE,
        limits: null,
        subscriptions: null,
      },
    ],
    keys: [{ id: newId("key"), email: DEMO_EMAIL, name: "demo", group: "demo", secret, ...limits }],
    by: byOf(control),
    dryRun: false,
  });
  if (result.problems.length > 0) return null;
  const holder = await control.store.run("key.holder", { hash });
  // Once it is rotated, its string is whoever's rotated it.
  return holder === null || holder.stringUntilMs !== undefined ? null : key;
}
