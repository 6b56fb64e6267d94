import type { Answer } from "../../api/client.ts";
import { useApi, useCall } from "../../api/query.ts";
import { formatTime } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Part } from "../../parts/facts.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { DifferenceLine } from "./import-difference.tsx";
import { MODEL_READS, type Model } from "./model-reads.ts";
import { differences } from "./price.ts";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";

/** Every version, with what it changed. */
export function PriceHistory({ model }: { model: Model }) {
  const say = useWords(priceWords);
  const history = useApi("GET /operator/models/{id}/prices", { params: { id: model.id } });
  const versions = history.data?.versions ?? [];
  return (
    <Part title={say("history")}>
      <p className="text-ink-3 text-xs">{say("historyText")}</p>
      {history.data === undefined && history.error !== null ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : versions.length === 0 && history.data.planned.length === 0 ? (
        <p className="text-ink-2">{say("noHistory")}</p>
      ) : (
        <ol className="rounded-lg border border-line">
          {history.data.planned.toReversed().map(planned => (
            <PlannedRow key={planned.id} model={model} planned={planned} />
          ))}
          {versions.map(({ id, since, price }, at) => (
            <li key={id} className="grid gap-1 border-line border-b px-3.5 py-2.5 last:border-0">
              <span className="flex items-center gap-2">
                <ExactTime at={since} />
                {at === 0 ? <Pill tone="ok">{say("now")}</Pill> : null}
                {at === versions.length - 1 ? (
                  <span className="text-ink-3 text-xs">{say("first")}</span>
                ) : null}
              </span>
              <dl className="grid gap-x-6 gap-y-0.5 text-sm sm:grid-cols-2">
                {differences(versions[at + 1]?.price ?? null, price).map(one => (
                  <DifferenceLine key={`${one.above ?? ""} ${one.part}`} difference={one} />
                ))}
              </dl>
            </li>
          ))}
        </ol>
      )}
    </Part>
  );
}

type Planned = Answer<"GET /operator/models/{id}/prices">["planned"][number];

/** One that has not begun, against the price as it is now. */
function PlannedRow({ model, planned }: { model: Model; planned: Planned }) {
  const say = useWords(priceWords);
  const tell = useSentence();
  const takeBack = useCall("DELETE /operator/models/{id}/prices/{price}", {
    refresh: MODEL_READS,
    onDone: () => toast(say("takenBack", { model: model.name })),
  });
  const { id, from, price, by } = planned;
  const onTakeBack = () =>
    takeBack.mutate(
      { params: { id: model.id, price: id } },
      { onError: error => toast(tell(error), { tone: "bad" }) },
    );
  return (
    <li className="grid gap-1 border-line border-b bg-sunken px-3.5 py-2.5 last:border-0">
      <span className="flex flex-wrap items-center gap-2">
        <ExactTime at={from} />
        <Pill tone="info">{say("plannedTitle")}</Pill>
        <span className="min-w-0 text-ink-3 text-xs">{say("plannedBy", { by })}</span>
        <Button
          size="sm"
          className="ml-auto"
          busy={takeBack.isPending}
          aria-label={say("takeBackOf", { when: formatTime(from, say.language) })}
          onClick={onTakeBack}
        >
          {say("takeBack")}
        </Button>
      </span>
      <dl className="grid gap-x-6 gap-y-0.5 text-sm sm:grid-cols-2">
        {differences(model.price, price).map(one => (
          <DifferenceLine key={`${one.above ?? ""} ${one.part}`} difference={one} />
        ))}
      </dl>
    </li>
  );
}
