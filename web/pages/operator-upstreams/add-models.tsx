import { useMemo, useState } from "react";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { priceOf, pricesOpen } from "./add-draft.ts";
import { AddModelRow } from "./add-model-row.tsx";
import { addWords } from "./add-words.ts";
import type { Found } from "./upstream-reads.ts";
import type { Adding } from "./use-adding.ts";

/** A provider may have thousands; nobody reads so many. */
const SHOWN_MAX = 80;
const FIND_FROM = 8;

export function AddModels({ adding }: { adding: Adding }) {
  const say = useWords(addWords);
  const { isByHand, setByHand, found, modelsWrong } = adding;
  return (
    <>
      {isByHand ? <ByHand adding={adding} /> : <FromList adding={adding} />}
      {modelsWrong?.what === "modelsMissing" && !isByHand ? (
        <Banner tone="bad">{say("modelsMissing")}</Banner>
      ) : null}
      {modelsWrong?.what === "pricesWrong" ? (
        <Banner tone="bad">{say("pricesWrong", { models: modelsWrong.names })}</Banner>
      ) : null}
      {found.length === 0 ? null : (
        <div>
          <Button size="sm" tone="ghost" onClick={() => setByHand(!isByHand)}>
            {say(isByHand ? "byList" : "byHand")}
          </Button>
        </div>
      )}
    </>
  );
}

function ByHand({ adding }: { adding: Adding }) {
  const say = useWords(addWords);
  const { lines, setLines, modelsWrong, fieldError } = adding;
  const own =
    modelsWrong === null
      ? undefined
      : modelsWrong.what === "linesTwice"
        ? say("linesTwice", { model: modelsWrong.names })
        : say("modelsMissing");
  const error = fieldError("models") ?? own;
  return (
    <Field label={say("lines")} hint={say("linesHint")} {...(error === undefined ? {} : { error })}>
      <TextArea mono rows={6} value={lines} onChange={setLines} spellCheck={false} autoComplete="off" />
    </Field>
  );
}

function FromList({ adding }: { adding: Adding }) {
  const say = useWords(addWords);
  const { found, chosen, setChosen } = adding;
  const [q, setQ] = useState("");
  const text = q.trim().toLowerCase();
  const matching = useMemo(
    () => found.filter(({ upstream_model }) => upstream_model.toLowerCase().includes(text)),
    [found, text],
  );
  const shown = matching.slice(0, SHOWN_MAX);
  const { none } = pricesOpen(found, chosen);
  const set = (some: readonly Found[], isChosen: boolean) => {
    const next = new Map(chosen);
    for (const one of some) {
      if (isChosen) next.set(one.upstream_model, next.get(one.upstream_model) ?? priceOf(one));
      else next.delete(one.upstream_model);
    }
    setChosen(next);
  };
  const isAll = matching.length > 0 && matching.every(one => chosen.has(one.upstream_model));
  return (
    <>
      <p className="text-ink-2">
        {say("found", { count: found.length })} {say("foundNone")}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {found.length < FIND_FROM ? null : (
          <div className="min-w-44 flex-1">
            <SearchInput value={q} onChange={setQ} label={say("findModel")} />
          </div>
        )}
        <span aria-live="polite" className="text-ink-3 text-sm">
          {say("chosen", { count: chosen.size })}
        </span>
        <Button size="sm" disabled={matching.length === 0} onClick={() => set(matching, !isAll)}>
          {say(isAll ? "none" : text === "" ? "all" : "allShown")}
        </Button>
      </div>
      {shown.length === 0 ? (
        <p className="text-ink-2">{say("noMatch")}</p>
      ) : (
        <ul className="rounded-lg border border-line">
          {shown.map(one => (
            <AddModelRow
              key={one.upstream_model}
              found={one}
              price={chosen.get(one.upstream_model) ?? null}
              onChoose={isChosen => set([one], isChosen)}
              onPrice={price => setChosen(new Map(chosen).set(one.upstream_model, price))}
            />
          ))}
        </ul>
      )}
      {matching.length > shown.length ? (
        <p className="text-ink-3 text-sm">{say("more", { count: matching.length - shown.length })}</p>
      ) : null}
      {none.length === 0 ? null : <Banner tone="warn">{say("pricesNone", { count: none.length })}</Banner>}
    </>
  );
}
