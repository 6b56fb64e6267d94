import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import type { Answer, Body } from "../../api/client.ts";
import { addMoney, compareMoney, formatMoneyShort } from "../../format/money.ts";
import { classNames } from "../../parts/class-names.ts";
import { Segmented } from "../../parts/segmented.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { changeShare } from "./price.ts";
import { useSentence } from "./sentences.ts";
import { shareText } from "./share-text.ts";
import { useDebounced } from "./use-debounced.ts";
import { WhatIfLines } from "./what-if-lines.tsx";
import { whatIfWords } from "./what-if-words.ts";

export type Supposed = Omit<Body<"POST /operator/what-if">, "days">;
export type Told = Answer<"POST /operator/what-if">;

const SPANS = ["7", "30"] as const;
type Span = (typeof SPANS)[number];

function useTold(supposed: Supposed | null, span: Span) {
  const asked = useDebounced(supposed === null ? null : JSON.stringify(supposed));
  return useQuery({
    queryKey: ["POST /operator/what-if", asked, span],
    queryFn: ({ signal }) =>
      call("POST /operator/what-if", {
        body: { ...(JSON.parse(asked ?? "{}") as Supposed), days: span === "7" ? 7 : 30 },
        signal,
      }),
    enabled: asked !== null && supposed !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
}

/** The traffic of some days under what is typed and not saved. Null: as it is now, or nothing that could be. */
export function WhatIf({ supposed }: { supposed: Supposed | null }) {
  const say = useWords(whatIfWords);
  const tell = useSentence();
  const [span, setSpan] = useState<Span>("7");
  const told = useTold(supposed, span);
  return (
    <section aria-label={say("title")} className="grid gap-3 rounded-lg border border-line bg-sunken p-3.5">
      <header className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="font-semibold">{say("title")}</h3>
          <p className="text-ink-3 text-xs">{say("text")}</p>
        </div>
        <Segmented
          label={say("span")}
          value={span}
          onChange={setSpan}
          options={SPANS.map(value => ({ value, label: say("days", { count: Number(value) }) }))}
        />
      </header>
      <div aria-live="polite" aria-busy={told.isFetching}>
        {supposed === null ? (
          <p className="text-ink-2">{say("unchanged")}</p>
        ) : told.error !== null ? (
          <p className="text-bad">{tell(told.error)}</p>
        ) : told.data === undefined ? (
          <Skeleton className="h-12 w-full" />
        ) : told.data.requests === 0 ? (
          <p className="text-ink-2">{say("none", { count: Number(span) })}</p>
        ) : (
          <div className={classNames("grid gap-3", told.isFetching && "opacity-60")}>
            <Figures told={told.data} />
            <WhatIfLines told={told.data} />
          </div>
        )}
      </div>
    </section>
  );
}

/** Six decimals where the whole is a matter of cents: two figures that differ must not look alike. */
export function decimalsFor({
  before_usd: before,
  after_usd: after,
}: Pick<Told, "before_usd" | "after_usd">) {
  return compareMoney(before, "0.1") < 0 && compareMoney(after, "0.1") < 0 ? 6 : 4;
}

function Figures({ told }: { told: Told }) {
  const say = useWords(whatIfWords);
  const { language } = say;
  const { before_usd: before, after_usd: after } = told;
  const order = compareMoney(after, before);
  const difference = addMoney([after, `-${before}`]);
  const share = changeShare(before, after);
  const money = (usd: string) => formatMoneyShort(usd, language, decimalsFor(told));
  const size = money(difference.replace("-", ""));
  const by = share === null ? "" : ` · ${shareText(share, language)}`;
  const text = order === 0 ? say("same") : `${order > 0 ? "+" : "−"}${size.replace("<", "")}${by}`;
  const facts = [
    { name: say("before"), value: money(before) },
    { name: say("after"), value: money(after) },
    { name: say("difference"), value: text },
  ];
  return (
    <div>
      <dl className="grid grid-cols-3 gap-x-4 gap-y-2 phone:grid-cols-2">
        {facts.map(({ name, value }) => (
          <div key={name} className="min-w-0 phone:last:col-span-2">
            <dt className="text-ink-3 text-xs">{name}</dt>
            <dd className="font-semibold text-lg tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1 text-ink-3 text-xs">
        {say("requests", { count: told.requests })}
        {told.sample === null ? null : ` · ${say("sample", told.sample)}`}
      </p>
    </div>
  );
}
