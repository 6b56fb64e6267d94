import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { queryOf } from "../../api/query.ts";
import { keep, kept } from "../../browser/kept.ts";
import type { Place } from "./attention-entries.ts";
import type { Overview } from "./use-overview.ts";

export type StepName = "upstream" | "price" | "group" | "invite" | "request";
export type Step = { name: StepName; isDone: boolean; place: Place };

export type Known = {
  upstreams: Answer<"GET /operator/upstreams">["upstreams"];
  models: Answer<"GET /operator/models">["models"];
  groups: Answer<"GET /operator/groups">["groups"];
  accounts: Answer<"GET /operator/accounts">["accounts"];
  invitations: Answer<"GET /operator/invitations">["invitations"];
  requests: number;
};

const KEPT = "first-steps";
/** The account of the demonstration that an empty house comes with. */
const DEMO_HOUSE = "@wicketgate.local";

/** What is there tells what was done; the demonstration counts for nothing. */
export function stepsOf({ upstreams, models, groups, accounts, invitations, requests }: Known): Step[] {
  const sold = models.filter(({ price, upstreams: by }) => price !== null && by.length > 0);
  const names = new Set(sold.map(({ name }) => name));
  const holders = accounts.filter(({ role, email }) => role === "holder" && !email.endsWith(DEMO_HOUSE));
  const isOffered = groups.some(({ enabled, matches }) => enabled && matches.some(name => names.has(name)));
  const at = (to: string, search: Record<string, string> = {}): Place => ({ to, search });
  return [
    {
      name: "upstream",
      isDone: upstreams.length > 0,
      place: at("/operator/upstreams", { show: "add" }),
    },
    { name: "price", isDone: sold.length > 0, place: at("/operator/models", { only: "unpriced" }) },
    { name: "group", isDone: isOffered, place: at("/operator/groups", { show: "create" }) },
    { name: "invite", isDone: holders.length + invitations.length > 0, place: at("/operator/accounts") },
    { name: "request", isDone: upstreams.length > 0 && requests > 0, place: at("/operator/usage") },
  ];
}

/** Null where there is nothing to show: all was done before, or somebody has hidden it. */
export function useFirstSteps(overview: Overview | undefined): { steps: Step[] | null; hide: () => void } {
  const [isHidden, setHidden] = useState(() => kept(KEPT) !== null);
  const [wasOpen, setWasOpen] = useState(false);
  const enabled = !isHidden;
  const upstreams = useQuery({ ...queryOf("GET /operator/upstreams"), enabled }).data?.upstreams;
  const models = useQuery({ ...queryOf("GET /operator/models"), enabled }).data?.models;
  const groups = useQuery({ ...queryOf("GET /operator/groups"), enabled }).data?.groups;
  const accounts = useQuery({ ...queryOf("GET /operator/accounts"), enabled }).data?.accounts;
  const invitations = useQuery({ ...queryOf("GET /operator/invitations"), enabled }).data?.invitations;
  const requests = overview?.totals.requests;
  const isKnown =
    upstreams !== undefined &&
    models !== undefined &&
    groups !== undefined &&
    accounts !== undefined &&
    invitations !== undefined &&
    requests !== undefined;
  const steps = isKnown ? stepsOf({ upstreams, models, groups, accounts, invitations, requests }) : null;
  const isAll = steps?.every(({ isDone }) => isDone) ?? null;
  useEffect(() => {
    if (isAll === false) setWasOpen(true);
    if (isAll === true) keep(KEPT, "done");
  }, [isAll]);
  const hide = () => {
    keep(KEPT, "hidden");
    setHidden(true);
  };
  const isShown = !isHidden && steps !== null && (isAll === false || wasOpen);
  return { steps: isShown ? steps : null, hide };
}
