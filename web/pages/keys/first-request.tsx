import { useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { queryOf } from "../../api/query.ts";
import { LinkButton } from "../../parts/link-button.tsx";
import { Money } from "../../parts/money.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useReasonTitle } from "../../refusals/reason-title.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useWordsOfUse } from "./use-words.ts";

type Row = Answer<"GET /usage">["rows"][number];
type Props = { keyId: string; lastUsed: string | null };

const LOOK_MS = 2000;
const HELP_MS = 30_000;

/** Looks for requests of the key while it is open and seen; what was there before does not count. */
function useArrival(keyId: string) {
  const usage = useQuery({
    ...queryOf("GET /usage", { query: { key: keyId, limit: 1 } }),
    refetchInterval: LOOK_MS,
    refetchOnMount: "always",
    staleTime: 0,
  });
  const before = useRef<string | null | undefined>(undefined);
  const newest = usage.data?.rows[0];
  const isFresh = usage.isFetchedAfterMount;
  if (isFresh && before.current === undefined) before.current = newest?.id ?? null;
  const isNew = isFresh && newest !== undefined && newest.id !== before.current;
  return { came: isNew ? newest : null, isAway: usage.isError };
}

export function FirstRequest({ keyId, lastUsed }: Props) {
  const say = useWords(useWordsOfUse);
  const { came, isAway } = useArrival(keyId);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), HELP_MS);
    return () => clearTimeout(timer);
  }, []);
  const check = (
    <TextLink key="check" to="/check">
      {say("checkLink")}
    </TextLink>
  );
  return (
    <div
      className="-mx-5 -mt-1 -mb-2 w-[calc(100%+40px)] flex-none! border-line border-t px-5 pt-3"
      aria-live="polite"
    >
      {came !== null ? (
        <Came row={came} />
      ) : (
        <Line icon={<LoaderCircle size={16} className="animate-spin text-ink-3" aria-hidden />}>
          <span className="text-ink-2">
            {isAway
              ? say("paused")
              : lastUsed === null
                ? say("waiting")
                : say.rich("waitingNext", { when: <RelativeTime key="when" at={lastUsed} /> })}
          </span>
          {isLong ? <span className="text-ink-3">{say.rich("waitingHelp", { check })}</span> : null}
        </Line>
      )}
    </div>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-9 items-center gap-2.5">
      <span className="shrink-0">{icon}</span>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">{children}</div>
    </div>
  );
}

function Came({ row }: { row: Row }) {
  const say = useWords(useWordsOfUse);
  const title = useReasonTitle();
  const { model, tool, outcome } = row;
  const isBad = outcome === "refused" || outcome === "failed";
  const reason = row.reason === null ? String(row.status ?? "") : title(row.reason);
  const text =
    outcome === "running"
      ? say("receivedRunning", { model, tool })
      : isBad
        ? say(outcome === "refused" ? "receivedRefused" : "receivedFailed", { tool, reason })
        : say("received", { model, tool });
  const icon =
    outcome === "running" ? (
      <LoaderCircle size={17} className="animate-spin text-accent" aria-hidden />
    ) : isBad ? (
      <CircleAlert size={17} className="text-bad" aria-hidden />
    ) : (
      <CircleCheck size={17} className="text-ok" aria-hidden />
    );
  return (
    <Line icon={icon}>
      <span className="min-w-0 break-words font-medium">{text}</span>
      {isBad || outcome === "running" ? null : <Money usd={row.cost_usd} />}
      <LinkButton to="/usage" search={{ receipt: row.id }} size="sm" className="ml-auto">
        {say(isBad ? "seeWhy" : "seeRow")}
      </LinkButton>
    </Line>
  );
}
