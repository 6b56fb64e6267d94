import { call } from "../../api/call.ts";
import type { Answer } from "../../api/client.ts";
import type { LogSource } from "../usage/use-log.ts";
import type { HouseFilter } from "./filter.ts";

export type HouseRow = Answer<"GET /operator/usage">["rows"][number];
export type HouseSummary = Answer<"GET /operator/usage/summary">;
export type HouseReceipt = Answer<"GET /operator/usage/{id}">;

export const HOUSE: LogSource<HouseRow, HouseFilter> = {
  name: "GET /operator/usage",
  summary: "GET /operator/usage/summary",
  read: (query, signal) =>
    call("GET /operator/usage", { query, ...(signal === undefined ? {} : { signal }) }),
};
