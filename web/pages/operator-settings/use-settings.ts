import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { queryOf, useCall } from "../../api/query.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { changed, type Draft, type Given, partOf, type Setting, unsaved, without } from "./setting.ts";
import { words } from "./words.ts";

/** What was changed and is not saved yet, of every section: going to another part of the page loses nothing. */
export function useDraft() {
  const [draft, setDraft] = useState<Draft>({});
  return {
    draft,
    change: (setting: Setting, value: Given) => setDraft(before => changed(before, setting, value)),
    forget: (names: readonly string[]) => setDraft(before => without(before, names)),
    keep: (saved: Draft) => setDraft(before => unsaved(before, saved)),
  };
}

export type Drafting = ReturnType<typeof useDraft>;

/** Saves the part of the draft that is a section's. */
export function useSaving(names: readonly string[], { draft, forget, keep }: Drafting) {
  const say = useWords(words);
  const queries = useQueryClient();
  const save = useCall("PATCH /operator/settings", {
    refresh: ["GET /house", "GET /operator/settings/sealed-copies", "GET /operator/audit"],
    onDone: (answer, { body }) => {
      queries.setQueryData(queryOf("GET /operator/settings").queryKey, answer);
      keep(body.settings);
      toast(say("saved"));
    },
  });
  const part = partOf(draft, names);
  return {
    save,
    isChanged: Object.keys(part).length > 0,
    send: (more: { remove_sealed_copies?: boolean } = {}) =>
      save.mutate({ body: { settings: part, ...more } }),
    discard: () => {
      forget(names);
      save.reset();
    },
  };
}

/** What the server finds wrong with one setting, as it says it. */
export function problemOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.field(`settings.${name}`) ?? error.field(name);
}
