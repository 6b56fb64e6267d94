import { FilterChip } from "../../parts/filter-chip.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { UpstreamState } from "./upstream-state.ts";
import { isNarrowed, useUpstreamsSearch } from "./use-upstreams-search.ts";
import { words } from "./words.ts";

const STATES: readonly UpstreamState[] = ["ok", "resting", "rejected", "paused", "unused"];

/** Search and filter over the list, and how many it has. */
export function UpstreamTools({ shown, count }: { shown: number | null; count: number }) {
  const say = useWords(words);
  const { search, change } = useUpstreamsSearch();
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2.5">
      <div className="min-w-48 flex-1 phone:w-full phone:flex-none">
        <SearchInput
          value={search.q ?? ""}
          onChange={q => change({ q: q === "" ? undefined : q })}
          label={say("find")}
        />
      </div>
      {shown === null ? null : (
        <span className="mr-1 text-ink-3 text-sm phone:order-last phone:ml-auto" aria-live="polite">
          {isNarrowed(search) ? say("countOf", { shown, count }) : say("count", { count })}
        </span>
      )}
      <FilterChip
        name={say("state")}
        value={search.state ?? null}
        onChange={state => change({ state: state ?? undefined })}
        options={STATES.map(value => ({ value, label: say(value) }))}
      />
    </div>
  );
}
