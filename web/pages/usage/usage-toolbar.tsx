import { X } from "lucide-react";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { DateRange } from "../../parts/date-range.tsx";
import { FilterChip } from "../../parts/filter-chip.tsx";
import { withChosen } from "../../parts/with-chosen.ts";
import { useWords } from "../../words/language-provider.tsx";
import { isNarrowed, rangeOf, searchOfRange } from "./filter.ts";
import { OUTCOMES, outcomeWord } from "./outcome-pill.tsx";
import { useUsageSearch } from "./use-usage-search.ts";
import { words } from "./words.ts";

/** Time range and filters: they hold for the figures, the chart, the list and the export alike. */
export function UsageToolbar() {
  const say = useWords(words);
  const { search, change, clear } = useUsageSearch();
  const names = useApi("GET /usage/names").data;
  const keys = (names?.keys ?? []).map(({ id, name, is_deleted }) => ({
    value: id,
    label: is_deleted ? say("deletedKey", { name }) : name,
  }));
  const plain = (values: readonly string[] = []) => values.map(value => ({ value, label: value }));
  return (
    <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2.5">
      <DateRange
        label={say("range")}
        value={rangeOf(search)}
        onChange={range =>
          change({ range: undefined, from: undefined, to: undefined, ...searchOfRange(range) })
        }
      />
      <div className="flex max-w-full flex-wrap items-center gap-2">
        <FilterChip
          name={say("key")}
          value={search.key ?? null}
          onChange={key => change({ key: key ?? undefined })}
          options={withChosen(keys, search.key)}
        />
        <FilterChip
          name={say("model")}
          value={search.model ?? null}
          onChange={model => change({ model: model ?? undefined })}
          options={withChosen(plain(names?.models), search.model)}
        />
        <FilterChip
          name={say("status")}
          value={search.outcome ?? null}
          onChange={outcome => change({ outcome: outcome ?? undefined })}
          options={OUTCOMES.map(value => ({ value, label: say(outcomeWord(value)) }))}
        />
        <FilterChip
          name={say("tool")}
          value={search.tool ?? null}
          onChange={tool => change({ tool: tool ?? undefined })}
          options={withChosen(plain(names?.tools), search.tool)}
        />
        {isNarrowed(search) ? (
          <Button size="sm" tone="ghost" icon={<X size={14} aria-hidden />} onClick={clear}>
            {say("clearFilters")}
          </Button>
        ) : null}
      </div>
    </div>
  );
}
