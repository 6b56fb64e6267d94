import { type Credential, shortId, type Upstream } from "../domain/catalogue.ts";
import type { Dialect } from "../domain/usage.ts";
import { StoreProblem } from "../store/store.ts";
import { listModels } from "../upstream/list-models.ts";
import { addressOf } from "../upstream/presets/address.ts";
import { PRESETS } from "../upstream/presets/presets.ts";
import { probe } from "../upstream/probe.ts";
import { type SealKey, unseal } from "../upstream/seal.ts";
import { type Sender, sender } from "../upstream/send.ts";
import type { Control } from "./control.ts";
import type { Network } from "./upstream-network.ts";
import { explainTrouble } from "./upstream-trouble.ts";

export type TestedModel = { model: string; known: string; dialect: Dialect } & (
  | { firstByteMs: number; durationMs: number; text: string }
  /** The status, where it is that which was wrong. */
  | { problem: string; status: number | null }
);

/** By its short id. */
export type TestedKey = { id: string; problem: string | null };

export type TestedUpstream = {
  name: string;
  /** How many models it lists; null where this kind lists none. */
  list: { count: number } | { problem: string } | null;
  models: TestedModel[];
  /** Each of its keys with the first model, where it has several. */
  keys: TestedKey[];
  /** How many of its models were not tried. */
  left: number;
};

/** Each costs a little, and an upstream may have thousands. */
const MODELS_MAX = 5;

type Testing = { name: string; model: string | null; network: Network };

/** Asks an upstream as the gateway would, with what is stored, and changes nothing. */
export async function testUpstream(
  { store, secrets }: Control,
  { name, model, network }: Testing,
): Promise<TestedUpstream> {
  const { upstreams } = await store.run("catalogue.read", {});
  const upstream = upstreams.find(one => one.name === name);
  if (upstream === undefined) {
    throw new StoreProblem("There is no upstream of this name. See them all with: wicketgate upstream list");
  }
  const all = [...upstream.models];
  const asked = model === null ? all : all.filter(([known]) => known === model);
  if (model !== null && asked.length === 0) {
    throw new StoreProblem(`The upstream “${name}” has no model of that name; it has: ${some(all)}.`);
  }
  const { outbound, limits, clock } = network;
  const send = sender({ outbound, sealKey: secrets.seal, limits, clock });
  const known = (one: Credential | null): Asking => {
    return { upstream, send, network, with: one, credential: plainOf(upstream, one, secrets.seal) };
  };
  const [first = null] = upstream.credentials;
  const tested: TestedModel[] = [];
  for (const pair of asked.slice(0, MODELS_MAX)) tested.push(await testModel(known(first), pair));
  const keys: TestedKey[] = [];
  const [pair] = asked;
  for (const one of upstream.credentials.length > 1 && pair !== undefined ? upstream.credentials : []) {
    const again = one === first ? tested[0] : await testModel(known(one), pair ?? ["", ""]);
    const problem = again !== undefined && "problem" in again ? again.problem : null;
    keys.push({ id: shortId(one.id), problem });
  }
  const list = await testList(upstream, known(first));
  return { name, list, models: tested, keys, left: asked.length - tested.length };
}

/** In clear, for whoever asks the upstream itself; null where there is none, or it does not open. */
export async function firstKey({ store, secrets }: Control, name: string): Promise<string | null> {
  const { upstreams } = await store.run("catalogue.read", {});
  const upstream = upstreams.find(one => one.name === name);
  return upstream === undefined ? null : plainOf(upstream, upstream.credentials[0] ?? null, secrets.seal);
}

function some(models: readonly (readonly [string, string])[]): string {
  const names = models.slice(0, MODELS_MAX).map(([name]) => name);
  return models.length > MODELS_MAX ? `${names.join(", ")} and others` : names.join(", ");
}

/** Null where there is none, or it does not open: then the call says so. */
function plainOf({ baseUrl }: Upstream, credential: Credential | null, key: SealKey): string | null {
  if (credential === null || baseUrl === null) return null;
  return unseal(credential.sealed, { key, boundTo: new URL(baseUrl).origin });
}

type Known = { network: Network; credential: string | null };
type Asking = Known & { upstream: Upstream; send: Sender; with: Credential | null };

async function testList(upstream: Upstream, { network, credential }: Known): Promise<TestedUpstream["list"]> {
  const { kind, baseUrl } = upstream;
  if (baseUrl === null) return null;
  const list = await listModels({ ...network, kind, baseUrl, credential });
  if (list === null) return null;
  if (!("trouble" in list)) return { count: list.models.length };
  const asked = { what: "list", url: list.url, kind, hasCredential: credential !== null } as const;
  return { problem: explainTrouble(list.trouble, asked) };
}

async function testModel(
  { upstream, send, network, with: chosen, credential }: Asking,
  [model, known]: readonly [string, string],
): Promise<TestedModel> {
  const probed = await probe({
    send,
    clock: network.clock,
    upstream,
    with: chosen,
    model: known,
    credential,
  });
  const { dialect } = probed;
  if (!("trouble" in probed)) return { model, known, ...probed };
  const { kind, baseUrl } = upstream;
  const address = { path: dialect, model: known, stream: true };
  const url = baseUrl === null ? null : (addressOf(PRESETS[kind], { baseUrl, ...address }) ?? baseUrl);
  const asked = {
    what: "call",
    url: url ?? "http://demo",
    kind,
    hasCredential: credential !== null,
  } as const;
  const { trouble } = probed;
  const status = trouble.kind === "status" ? trouble.status : null;
  return { model, known, dialect, problem: explainTrouble(trouble, asked), status };
}
