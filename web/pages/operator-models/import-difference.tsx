import { ArrowRight } from "lucide-react";
import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { formatPrice } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Checkbox } from "../../parts/checkbox.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Pill } from "../../parts/pill.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { tokensText } from "../models/model-cells.tsx";
import type { Compared } from "./import-dialog.tsx";
import { importWords } from "./import-words.ts";
import { MODEL_READS } from "./model-reads.ts";
import { changeShare, type Difference, differences } from "./price.ts";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";
import { shareText } from "./share-text.ts";

type Props = { compared: Compared; onBack: () => void; onClose: () => void };
type Change = Compared["changes"][number];

/** What would change, model by model; what would not is left out. */
export function ImportDifference({ compared, onBack, onClose }: Props) {
  const say = useWords(importWords);
  const tell = useSentence();
  // What has no price first: it is refused until it has one.
  const changes = compared.changes.toSorted(
    (one, other) => Number(one.before !== null) - Number(other.before !== null),
  );
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = changes.filter(({ model }) => !left.has(model));
  const take = useCall("POST /operator/prices/import", {
    refresh: MODEL_READS,
    onDone: ({ changed }) => {
      toast(say("done", { count: changed }));
      onClose();
    },
  });
  if (changes.length === 0) {
    return (
      <Dialog
        open
        onClose={onClose}
        title={say("nothing")}
        footer={<Button onClick={onBack}>{say("back")}</Button>}
      >
        <EmptyState title={say("dated", { date: compared.dated })}>
          <p>{say("nothingText")}</p>
          <Unknown names={compared.unknown} />
        </EmptyState>
      </Dialog>
    );
  }
  const choose = (names: readonly string[], isTaken: boolean) =>
    setLeft(before => {
      const next = new Set(before);
      for (const name of names) {
        if (isTaken) next.delete(name);
        else next.add(name);
      }
      return next;
    });
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={() =>
        take.mutate({ body: { prices: chosen.map(({ model, after }) => ({ model, price: after })) } })
      }
      title={say("difTable")}
      description={say("dated", { date: compared.dated })}
      action={say("confirm", { count: chosen.length })}
      disabled={chosen.length === 0}
      busy={take.isPending}
      {...(take.error === null ? {} : { error: tell(take.error) })}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Checkbox
          checked={left.size === 0}
          onChange={isTaken =>
            choose(
              changes.map(({ model }) => model),
              isTaken,
            )
          }
          label={say("all")}
        />
        <Button size="sm" tone="ghost" onClick={onBack}>
          {say("back")}
        </Button>
      </div>
      <ul className="rounded-lg border border-line">
        {changes.map(change => (
          <ChangeRow
            key={change.model}
            change={change}
            isTaken={!left.has(change.model)}
            onTake={isTaken => choose([change.model], isTaken)}
          />
        ))}
      </ul>
      <Unknown names={compared.unknown} />
    </FormDialog>
  );
}

function Unknown({ names }: { names: readonly string[] }) {
  const say = useWords(importWords);
  if (names.length === 0) return null;
  return (
    <p className="text-ink-3 text-sm" title={names.join(", ")}>
      {say("unknown", { count: names.length })}
    </p>
  );
}

type RowProps = { change: Change; isTaken: boolean; onTake: (isTaken: boolean) => void };

function ChangeRow({ change: { model, before, after }, isTaken, onTake }: RowProps) {
  const say = useWords(importWords);
  return (
    <li className="grid gap-1.5 border-line border-b px-3 py-2.5 last:border-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Checkbox
          checked={isTaken}
          onChange={onTake}
          label={
            <>
              <span className="sr-only">{say("take", { model })}</span>
              <code aria-hidden className="break-all font-medium">
                {model}
              </code>
            </>
          }
        />
        <Pill tone={before === null ? "ok" : "info"}>{say(before === null ? "new" : "changed")}</Pill>
      </div>
      <dl className="grid gap-x-4 gap-y-0.5 pl-7 text-sm sm:grid-cols-2">
        {differences(before, after).map(one => (
          <DifferenceLine key={`${one.above ?? ""} ${one.part}`} difference={one} />
        ))}
      </dl>
    </li>
  );
}

/** Before, after and by how much. */
export function DifferenceLine({ difference }: { difference: Difference }) {
  const say = useWords(importWords);
  const part = useWords(priceWords);
  const { language } = say;
  const { above, before, after } = difference;
  const share = before === null ? null : changeShare(before, after);
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-2">
      <dt className="text-ink-3">
        {above === null
          ? part(difference.part)
          : say("above", { part: part(difference.part), tokens: tokensText(above) })}
      </dt>
      <dd className="flex items-baseline gap-1 tabular-nums">
        {before === null ? null : (
          <>
            <span className="text-ink-2">{formatPrice(before, language)}</span>
            <ArrowRight size={11} aria-label="→" className="self-center text-ink-3" />
          </>
        )}
        <span className="font-medium">{formatPrice(after, language)}</span>
        {share === null ? null : <span className="text-ink-3 text-xs">{shareText(share, language)}</span>}
      </dd>
    </div>
  );
}
