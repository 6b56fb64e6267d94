import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import { queryOf, useCall } from "../../api/query.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { MODEL_READS, type Model, type Suggested } from "./model-reads.ts";
import { EMPTY, isSame, type ListPrice, priceOf, withPart } from "./price.ts";
import { useSentence } from "./sentences.ts";
import { words } from "./words.ts";

export const INLINE_PARTS = ["input", "cache_read", "output"] as const;
export type InlinePart = (typeof INLINE_PARTS)[number];
export type Place = { id: string; part: InlinePart };

type Typed = Partial<Record<InlinePart, string>>;

export type InlinePrices = {
  editing: Place | null;
  /** What is typed for a model that has no price yet, until there is enough of it. */
  typed: ReadonlyMap<string, Typed>;
  savingId: string | null;
  edit: (place: Place | null) => void;
  /** A price that was typed; false where the other one is still missing. */
  save: (model: Model, part: InlinePart, text: string) => boolean;
};

/** Puts what was saved into the list at once, before it is read anew. */
function useSavePrice() {
  const say = useWords(words);
  const tell = useSentence();
  const queries = useQueryClient();
  const [savingId, setSaving] = useState<string | null>(null);
  const patch = useCall("PATCH /operator/models/{id}", { refresh: MODEL_READS });
  const { mutate } = patch;
  const put = useCallback(
    (model: Model, price: ListPrice, onDone: () => void) => {
      setSaving(model.id);
      mutate(
        { params: { id: model.id }, body: { price } },
        {
          onSuccess: changed => {
            queries.setQueryData(queryOf("GET /operator/models").queryKey, before =>
              before === undefined
                ? before
                : { models: before.models.map(one => (one.id === changed.id ? changed : one)) },
            );
            onDone();
          },
          onError: error => toast(tell(error), { tone: "bad" }),
          onSettled: () => setSaving(null),
        },
      );
    },
    [mutate, queries, tell],
  );
  const save = useCallback(
    (model: Model, price: ListPrice) => {
      const { name, price: old } = model;
      const back = () => {
        if (old !== null) put(model, old, () => toast(say("undone", { model: name })));
      };
      put(model, price, () =>
        toast(
          say("saved", { model: name }),
          old === null ? {} : { action: { label: say("undo"), onSelect: back } },
        ),
      );
    },
    [put, say],
  );
  return { save, savingId };
}

/** Prices that are changed in the list itself. */
export function useInlinePrices(suggested: Suggested | null): InlinePrices {
  const [editing, edit] = useState<Place | null>(null);
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(new Map());
  const { save: put, savingId } = useSavePrice();
  const known = useRef(suggested);
  known.current = suggested;
  const save = useCallback(
    (model: Model, part: InlinePart, text: string) => {
      const from = model.price ?? known.current?.prices.get(model.name) ?? null;
      if (from !== null) {
        const next = withPart(from, part, text);
        if (next !== null && (model.price === null || !isSame(model.price[part], text))) put(model, next);
        return true;
      }
      const all: Typed = { ...typed.get(model.id), [part]: text };
      const price = priceOf({ ...EMPTY, ...all });
      setTyped(before => {
        const next = new Map(before);
        if (price === null) next.set(model.id, all);
        else next.delete(model.id);
        return next;
      });
      if (price !== null) put(model, price);
      return price !== null;
    },
    [typed, put],
  );
  return useMemo(() => ({ editing, typed, savingId, edit, save }), [editing, typed, savingId, save]);
}
