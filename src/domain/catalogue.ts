import type { Group } from "./group.ts";
import type { Id } from "./ids.ts";
import type { Model } from "./model.ts";
import type { Dialect } from "./usage.ts";

export type UpstreamKind = "openai" | "openai-compatible" | "anthropic" | "demo";

export type Upstream = {
  id: Id<"ups">;
  name: string;
  kind: UpstreamKind;
  baseUrl: string | null;
  speaks: readonly Dialect[];
  /** Sealed; opened only by the module that makes outbound calls. */
  credential: Uint8Array | null;
  priority: number;
  weight: number;
  /** Public model name to the name the upstream knows. */
  models: ReadonlyMap<string, string>;
};

/** A versioned picture of what the gateway offers, re-read within 250 ms of a change. */
export type Catalogue = {
  revision: number;
  groups: ReadonlyMap<Id<"grp">, Group>;
  models: ReadonlyMap<string, Model>;
  upstreams: readonly Upstream[];
};
