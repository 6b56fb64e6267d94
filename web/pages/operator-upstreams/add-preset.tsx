import { useState } from "react";
import { useApi } from "../../api/query.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { addWords } from "./add-words.ts";
import { inReach, presetName } from "./preset-notes.ts";
import type { Preset } from "./upstream-reads.ts";

const WAITING = ["a", "b", "c", "d", "e", "f"];

function matches({ name, kind, base_url }: Preset, text: string): boolean {
  const said = [name, kind, base_url ?? "", presetName({ kind, name }, "zh")];
  return said.some(part => part.toLowerCase().includes(text));
}

/** A name is enough to find it by. */
export function AddPreset({ onChoose }: { onChoose: (preset: Preset) => void }) {
  const say = useWords(addWords);
  const listed = useApi("GET /operator/presets");
  const [q, setQ] = useState("");
  const found = inReach(listed.data?.presets ?? []).filter(one => matches(one, q.trim().toLowerCase()));
  if (listed.error !== null && listed.data === undefined) {
    return <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />;
  }
  return (
    <>
      <SearchInput value={q} onChange={setQ} label={say("find")} />
      {listed.data === undefined ? (
        <div className="grid gap-2 sm:grid-cols-2">
          {WAITING.map(at => (
            <Skeleton key={at} className="h-14 w-full" />
          ))}
        </div>
      ) : (
        <ul aria-label={say("providers")} className="grid gap-2 sm:grid-cols-2">
          {found.map(preset => (
            <li key={preset.kind}>
              <button
                type="button"
                data-preset
                onClick={() => onChoose(preset)}
                className="grid w-full gap-px rounded-lg border border-line-strong bg-panel px-3 py-2 text-left transition-colors hover:border-edge hover:bg-sunken"
              >
                <span className="font-medium">{presetName(preset, say.language)}</span>
                <span className="truncate text-ink-3 text-xs">{hostOf(preset)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="text-ink-3 text-sm">{say("noProvider")}</p>
    </>
  );
}

function hostOf({ base_url, kind }: Preset): string {
  return base_url === null || !URL.canParse(base_url) ? kind : new URL(base_url).host;
}
