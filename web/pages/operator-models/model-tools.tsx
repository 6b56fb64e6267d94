import { FilterChip } from "../../parts/filter-chip.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { isNarrowed, type Model } from "./model-reads.ts";
import { useModelsSearch } from "./use-models-search.ts";
import { words } from "./words.ts";

/** Search and filters over the list, and how many it has. */
export function ModelTools({ models, shown }: { models: readonly Model[]; shown: number | null }) {
  const say = useWords(words);
  const { search, change } = useModelsSearch();
  const upstreams = [
    ...new Map(models.flatMap(model => model.upstreams.map(({ id, name }) => [id, name] as const))),
  ];
  const count = models.length;
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2.5">
      <div className="min-w-48 flex-1 phone:w-full phone:flex-none">
        <SearchInput
          label={say("find")}
          value={search.q ?? ""}
          onChange={q => change({ q: q === "" ? undefined : q })}
        />
      </div>
      {shown === null ? null : (
        <span className="mr-1 text-ink-3 text-sm phone:order-last phone:ml-auto" aria-live="polite">
          {isNarrowed(search) ? say("countOf", { shown, count }) : say("count", { count })}
        </span>
      )}
      <FilterChip
        name={say("only")}
        value={search.only ?? null}
        onChange={only => change({ only: only ?? undefined })}
        options={(["unpriced", "unserved"] as const).map(value => ({ value, label: say(value) }))}
      />
      {upstreams.length < 2 && search.upstream === undefined ? null : (
        <FilterChip
          name={say("upstream")}
          value={search.upstream ?? null}
          onChange={upstream => change({ upstream: upstream ?? undefined })}
          options={upstreams.map(([value, label]) => ({ value, label }))}
        />
      )}
    </div>
  );
}
