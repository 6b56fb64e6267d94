import { catalogue, fill, type Reason } from "../../domain/errors.ts";

export type Explanation = { reason: string; cause: string; message: string; remedy: string };

/** Ends that are no refusals, so that the catalogue of these does not know them. */
const OTHER_ENDS: Readonly<Record<string, Omit<Explanation, "reason">>> = {
  client_left: {
    cause: "client",
    message: "The client closed the connection before the answer was whole.",
    remedy: "Nothing is to be done where that was meant; what had been delivered until then is charged.",
  },
  interrupted: {
    cause: "gateway",
    message: "The gateway ended while this request was running.",
    remedy: "Send it again; only what was known to be delivered is charged.",
  },
};

/** Of a row that was written before particulars were kept, or that ended after it was admitted. */
const UNKNOWN: Readonly<Record<string, string>> = {
  seconds: "some",
  whose: "The key or its account",
  what: "requests or tokens",
  problem: "the client was told what is wrong with it",
  period: "",
  also: "",
};

export type Ended = {
  reason: string | null;
  particulars: Record<string, string | number> | null;
  key: string;
  group: string;
  model: string;
};

/** Why a request was refused or failed, in the words that its client was given, as far as they are known. */
export function explain({ reason, particulars, key, group, model }: Ended): Explanation | null {
  if (reason === null) return null;
  const other = Object.hasOwn(OTHER_ENDS, reason) ? OTHER_ENDS[reason] : undefined;
  if (other !== undefined) return { reason, ...other };
  const entry = Object.hasOwn(catalogue, reason) ? catalogue[reason as Reason] : undefined;
  if (entry === undefined) return null;
  const params = { ...UNKNOWN, key, group, model, ...particulars };
  const sentence = (template: string) => fill(template, params).replace(/\{\w+\}/g, "…");
  return { reason, cause: entry.cause, message: sentence(entry.message), remedy: sentence(entry.remedy) };
}
