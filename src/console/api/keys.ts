import { type Group, mayUseGroup } from "../../domain/group.ts";
import { type Id, isId } from "../../domain/ids.ts";
import { NO_LIMITS } from "../../domain/limits.ts";
import type { HeldKey } from "../../store/keys-of-account.ts";
import { StoreProblem } from "../../store/store.ts";
import { byOf } from "../control.ts";
import { createKey, rotateKey } from "../keys.ts";
import { mayJoin } from "./groups-offered.ts";
import { fieldProblem, readCustomKey, readName, readSettings } from "./keys-form.ts";
import { keyView } from "./keys-view.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handlers, SignedIn } from "./visit.ts";

type KeyEndpoint =
  | "GET /keys"
  | "POST /keys"
  | "GET /keys/{id}"
  | "PATCH /keys/{id}"
  | "POST /keys/{id}/disable"
  | "POST /keys/{id}/enable"
  | "POST /keys/{id}/rotate"
  | "DELETE /keys/{id}";

/** That are not deleted. One for each tool and device is far from it. */
const KEYS_MAX = 1_000;

export const keyHandlers = {
  "GET /keys": async visit => {
    const { desk, visitor, nowMs } = visit;
    const keys = await desk.store.report("keys.of_account", { accountId: visitor.id, nowMs });
    return { keys: keys.map(key => keyView(key, nowMs)) };
  },

  "POST /keys": async (visit, { body }) => {
    const group = await joinable(visit, body.group);
    const { limits, quota = null, expiresAtMs = null } = readSettings(body, visit.nowMs);
    const form = {
      ...{ ...NO_LIMITS, ...limits, quota, expiresAtMs },
      ...{ email: visit.visitor.email, name: readName(body.name), group: group.name },
      ...{ custom: readCustomKey(body.custom_key), keysMax: KEYS_MAX },
    };
    const made = await orTaken(createKey(visit.control, form));
    return { key: await viewOf(visit, made.id), string: made.key };
  },

  "GET /keys/{id}": (visit, { params }) => viewOf(visit, params.id),

  "PATCH /keys/{id}": async (visit, { params, body }) => {
    const key = await ownKey(visit, params.id);
    const isMoved = body.group !== undefined && body.group !== key.groupId;
    const group = isMoved ? await joinable(visit, body.group ?? "") : null;
    const change = {
      ...{ id: key.id, accountId: visit.visitor.id, email: visit.visitor.email, by: byOf(visit.control) },
      ...readSettings(body, visit.nowMs),
      ...(group === null ? {} : { groupId: group.id }),
      ...(body.name === undefined || body.name === key.name ? {} : { name: readName(body.name) }),
    };
    await orTaken(visit.desk.store.run("key.change", change));
    return viewOf(visit, key.id);
  },

  "POST /keys/{id}/disable": (visit, { params }) => enable(visit, params.id, false),
  "POST /keys/{id}/enable": (visit, { params }) => enable(visit, params.id, true),

  "POST /keys/{id}/rotate": async (visit, { params, body }) => {
    const form = { id: keyId(params.id), accountId: visit.visitor.id, graceMs: body.grace_seconds * 1000 };
    const rotated = await rotateKey(visit.control, form);
    if (rotated === null) throw noSuchKey();
    return { key: await viewOf(visit, params.id), string: rotated.key };
  },

  "DELETE /keys/{id}": async (visit, { params }) => {
    const { id } = await ownKey(visit, params.id);
    await visit.desk.store.run("key.delete", { id, by: byOf(visit.control) });
    return { done: true };
  },
} satisfies Pick<Handlers, KeyEndpoint>;

/** Somebody else's key is told exactly as one that does not exist. */
export async function ownKey(visit: SignedIn, id: string): Promise<HeldKey> {
  const whose = { accountId: visit.visitor.id, nowMs: visit.desk.nowMs() };
  const key = await visit.desk.store.report("key.of_account", { ...whose, id: keyId(id) });
  if (key === null) throw noSuchKey();
  return key;
}

export function noSuchKey(): ConsoleProblem {
  return new ConsoleProblem("not_found", "There is no such key in this account. It may have been deleted.");
}

function keyId(id: string): Id<"key"> {
  if (!isId("key", id)) throw noSuchKey();
  return id;
}

async function viewOf(visit: SignedIn, id: string) {
  return keyView(await ownKey(visit, id), visit.desk.nowMs());
}

async function enable(visit: SignedIn, given: string, enabled: boolean) {
  const { id } = await ownKey(visit, given);
  await visit.desk.store.run("key.enable", { id, enabled, by: byOf(visit.control) });
  return viewOf(visit, id);
}

/** A group that the account can put a key into. */
async function joinable(visit: SignedIn, id: string): Promise<Group> {
  const { desk, visitor, nowMs } = visit;
  // As it is now: what this instance has read may be a moment old.
  const { groups } = await desk.store.run("catalogue.read", {});
  const group = [...groups.values()].find(one => one.id === id);
  // One that is for others is told exactly as one that does not exist.
  if (group === undefined || !mayUseGroup(group, visitor.id))
    throw fieldProblem("group", "This group is not there. Choose one from the list.");
  if (!group.enabled) {
    throw fieldProblem("group", `The group “${group.name}” is disabled. Choose another one.`);
  }
  const pockets = await desk.store.report("account.pockets", { accountId: visitor.id });
  if (mayJoin(group, pockets, nowMs)) return group;
  throw fieldProblem("group", `This account has no subscription that pays for the group “${group.name}”.`);
}

/** What another key stands in the way of is told at the field that it is about. */
async function orTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreProblem) || error.field === null) throw error;
    const { field: path } = error;
    const message =
      path === "name" ? "You have a key with this name already. Choose another name." : error.message;
    throw new ConsoleProblem("conflict", message, { fields: [{ path, message }] });
  }
}
