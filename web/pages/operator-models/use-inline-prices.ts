import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import { newest } from "../../api/newest.ts";
import { queryOf, useCall } from "../../api/query.ts";
import { formatPrice } from "../../format/money.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { MODEL_READS, type Model, type Suggested } from "./model-reads.ts";
import { EMPTY, isSame, type ListPrice, priceOf, takenBack, withPart } from "./price.ts";
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

type Saves = {
  savingId: string | null;
  /** As it will be once everything on its way has arrived. */
  standing: (model: Model) => ListPrice | null;
  /** One part of it was typed: that is what is told, and what can be taken back. */
  savePart: (model: Model, part: InlinePart, from: ListPrice, to: ListPrice) => void;
  /** The first price that a model gets. */
  saveFirst: (model: Model, price: ListPrice) => void;
};

/**
 * A price is sent whole, so each begins from what the one before it has left, also while that is on its way, and they go
 * one after the other. What was saved is put into the list at once, before it is read anew.
 */
function useSavePrice(): Saves {
  const say = useWords(words);
  const tell = useSentence();
  const queries = useQueryClient();
  const [savingId, setSaving] = useState<string | null>(null);
  const sent = useRef(new Map<string, ListPrice>());
  const turn = useRef<Promise<unknown>>(Promise.resolve());
  const { mutateAsync } = useCall("PATCH /operator/models/{id}", { refresh: MODEL_READS });
  const standing = useCallback((model: Model) => sent.current.get(model.id) ?? model.price, []);
  const put = useCallback(
    async (model: Model, price: ListPrice) => {
      const { id } = model;
      sent.current.set(id, price);
      setSaving(id);
      const saved = turn.current.then(() => mutateAsync({ params: { id }, body: { price } }));
      turn.current = saved.catch(() => null);
      try {
        const changed = await saved;
        queries.setQueryData(queryOf("GET /operator/models").queryKey, before =>
          before === undefined
            ? before
            : { models: before.models.map(one => (one.id === id ? changed : one)) },
        );
        return true;
      } catch (error) {
        toast(tell(error), { tone: "bad" });
        return false;
      } finally {
        if (sent.current.get(id) === price) {
          sent.current.delete(id);
          setSaving(null);
        }
      }
    },
    [mutateAsync, queries, tell],
  );
  const saveFirst = useCallback(
    async (model: Model, price: ListPrice) => {
      if (await put(model, price)) toast(say("saved", { model: model.name }));
    },
    [put, say],
  );
  const savePart = useCallback(
    async (model: Model, part: InlinePart, from: ListPrice, to: ListPrice) => {
      const told = (id: "savedPart" | "undone", price: ListPrice) =>
        say(id, { part: say(part), model: model.name, price: formatPrice(price[part], say.language) });
      if (!(await put(model, to))) return;
      const undo = async () => {
        const list = queries.getQueryData(queryOf("GET /operator/models").queryKey);
        const now = standing(newest(list?.models, model)) ?? to;
        if (await put(model, takenBack(now, from, to))) toast(told("undone", from));
      };
      toast(told("savedPart", to), { action: { label: say("undo"), onSelect: () => void undo() } });
    },
    [put, queries, say, standing],
  );
  return { savePart, saveFirst, savingId, standing };
}

/** Prices that are changed in the list itself. */
export function useInlinePrices(suggested: Suggested | null): InlinePrices {
  const [editing, edit] = useState<Place | null>(null);
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(new Map());
  const { savePart, saveFirst, savingId, standing } = useSavePrice();
  const known = useRef(suggested);
  known.current = suggested;
  const save = useCallback(
    (model: Model, part: InlinePart, text: string) => {
      const own = standing(model);
      if (own !== null) {
        const next = isSame(own[part], text) ? null : withPart(own, part, text);
        if (next !== null) savePart(model, part, own, next);
        return true;
      }
      const suggestion = known.current?.prices.get(model.name);
      if (suggestion !== undefined) {
        const next = withPart(suggestion, part, text);
        if (next !== null) saveFirst(model, next);
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
      if (price !== null) saveFirst(model, price);
      return price !== null;
    },
    [typed, savePart, saveFirst, standing],
  );
  return useMemo(() => ({ editing, typed, savingId, edit, save }), [editing, typed, savingId, save]);
}
