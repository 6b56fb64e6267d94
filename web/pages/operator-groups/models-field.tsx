import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { call } from "../../api/call.ts";
import { useApi } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { Field } from "../../parts/field.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { useDebounced } from "../operator-models/use-debounced.ts";
import { formWords } from "./form-words.ts";
import { patternsOf } from "./group-draft.ts";

type Props = { value: string; onChange: (value: string) => void; error: string | null };

function usePreview(patterns: readonly string[]) {
  const asked = useDebounced(patterns.join("\n"), 200);
  return useQuery({
    queryKey: ["POST /operator/groups/preview", asked],
    queryFn: ({ signal }) =>
      call("POST /operator/groups/preview", { body: { models: patternsOf(asked) }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
}

/** Names and patterns, with what they match now and what they leave out. */
export function ModelsField({ value, onChange, error }: Props) {
  const say = useWords(formWords);
  const isAll = patternsOf(value).includes("*");
  return (
    <div className="grid gap-2">
      <Field label={say("models")} hint={say("modelsHint")} {...(error === null ? {} : { error })}>
        <TextArea mono rows={3} value={value} onChange={onChange} spellCheck={false} autoCapitalize="none" />
      </Field>
      {isAll ? null : (
        <Button size="sm" className="justify-self-start" onClick={() => onChange("*")}>
          {say("all")}
        </Button>
      )}
      <Preview value={value} onChange={onChange} />
    </div>
  );
}

function Preview({ value, onChange }: Omit<Props, "error">) {
  const say = useWords(formWords);
  const tell = useSentence();
  const patterns = patternsOf(value);
  const preview = usePreview(patterns);
  const models = useApi("GET /operator/models");
  if (preview.error !== null) return <Banner tone="warn">{tell(preview.error)}</Banner>;
  if (preview.data === undefined || models.data === undefined) return <Skeleton className="h-16 w-full" />;
  const { matches, idle } = preview.data;
  const matched = new Set(matches.map(({ model }) => model));
  const others = models.data.models.filter(({ name }) => !matched.has(name));
  const unpriced = new Set(models.data.models.filter(({ price }) => price === null).map(({ name }) => name));
  return (
    <section
      aria-label={say("preview")}
      aria-live="polite"
      className="grid gap-2.5 rounded-lg border border-line bg-sunken px-3 py-2.5"
    >
      <Chips
        title={matches.length === 0 ? say("matchesNone") : say("matches", { count: matches.length })}
        isBad={matches.length === 0}
        chips={matches.map(({ model, by }) => ({
          name: model,
          isUnpriced: unpriced.has(model),
          title: say("matchedBy", { model, pattern: by }),
          // What stands by its own name can be taken out; what a pattern matches cannot.
          ...(by === model
            ? {
                act: "remove" as const,
                label: say("takeOut", { model }),
                onClick: () => onChange(patterns.filter(one => one !== model).join("\n")),
              }
            : {}),
        }))}
      />
      {others.length === 0 ? null : (
        <Chips
          title={say("others", { count: others.length })}
          chips={others.map(({ name }) => ({
            name,
            isUnpriced: unpriced.has(name),
            title: say("add", { model: name }),
            act: "add" as const,
            label: say("add", { model: name }),
            onClick: () => onChange([...patterns, name].join("\n")),
          }))}
        />
      )}
      {idle.length === 0 ? null : (
        <p className="text-sm text-warn">{say("idle", { patterns: idle.join(", ") })}</p>
      )}
    </section>
  );
}

type Chip = {
  name: string;
  title: string;
  isUnpriced: boolean;
  act?: "add" | "remove";
  label?: string;
  onClick?: () => void;
};

const SHOWN_MAX = 60;
const chipClass =
  "inline-flex min-h-6 max-w-full items-center gap-1 rounded-sm border px-1.5 font-mono text-xs phone:min-h-8";

function Chips({ title, chips, isBad }: { title: string; chips: readonly Chip[]; isBad?: boolean }) {
  const say = useWords(formWords);
  const rest = chips.length - SHOWN_MAX;
  return (
    <div className="grid gap-1">
      <p className={classNames("text-xs", isBad ? "text-bad" : "text-ink-2")}>{title}</p>
      <ul className="flex max-h-40 flex-wrap gap-1 overflow-y-auto">
        {chips.slice(0, SHOWN_MAX).map(chip => {
          const text = (
            <>
              <span className="break-all">{chip.name}</span>
              {chip.isUnpriced ? <span className="font-sans text-bad">{say("unpriced")}</span> : null}
            </>
          );
          return (
            <li key={chip.name} className="max-w-full">
              {chip.onClick === undefined ? (
                <span title={chip.title} className={classNames(chipClass, "border-line-strong bg-panel")}>
                  {text}
                </span>
              ) : (
                <button
                  type="button"
                  title={chip.title}
                  aria-label={chip.label}
                  onClick={chip.onClick}
                  className={classNames(
                    chipClass,
                    "hover:border-edge",
                    chip.act === "add"
                      ? "border-line-strong border-dashed text-ink-2"
                      : "border-line-strong bg-panel",
                  )}
                >
                  {text}
                  {chip.act === "add" ? <Plus size={11} aria-hidden /> : <X size={11} aria-hidden />}
                </button>
              )}
            </li>
          );
        })}
        {rest > 0 ? <li className="text-ink-3 text-xs">{`+${rest}`}</li> : null}
      </ul>
    </div>
  );
}
