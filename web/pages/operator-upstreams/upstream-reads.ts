import type { Answer, Name } from "../../api/client.ts";

export type Upstream = Answer<"GET /operator/upstreams">["upstreams"][number];
export type Credential = Upstream["credentials"][number];
export type Preset = Answer<"GET /operator/presets">["presets"][number];
export type Found = Answer<"POST /operator/upstreams/look">["models"][number];
export type History = Answer<"GET /operator/upstreams/{id}/history">;
export type Dialect = Upstream["speaks"][number];

export const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];

/** What is read anew after any change of an upstream. */
export const UPSTREAM_READS: readonly Name[] = [
  "GET /operator/upstreams",
  "GET /operator/upstreams/{id}/history",
  "GET /operator/models",
  "GET /operator/overview",
  "GET /models",
];
