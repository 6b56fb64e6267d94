import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { queryOf, useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { DateRange } from "../../parts/date-range.tsx";
import { FilterChip } from "../../parts/filter-chip.tsx";
import { SearchChip } from "../../parts/search-chip.tsx";
import { withChosen } from "../../parts/with-chosen.ts";
import { useWords } from "../../words/language-provider.tsx";
import { rangeOf, searchOfRange } from "../usage/filter.ts";
import { OUTCOMES, outcomeWord } from "../usage/outcome-pill.tsx";
import { words as usageWords } from "../usage/words.ts";
import { isNarrowed } from "./filter.ts";
import { useHouseSearch } from "./use-house-search.ts";
import { words } from "./words.ts";

const plain = (values: readonly string[] = []) => values.map(value => ({ value, label: value }));

/** Time range and filters: they hold for the figures, the chart, the list and the export alike. */
export function HouseToolbar() {
  const say = useWords(words);
  const usual = useWords(usageWords);
  const { search, change, clear } = useHouseSearch();
  const names = useApi("GET /operator/usage/names").data;
  const accounts = (names?.accounts ?? []).map(({ id, email }) => ({ value: id, label: email }));
  return (
    <div className="mb-3.5 grid grid-cols-[minmax(0,1fr)] gap-2.5">
      <DateRange
        label={usual("range")}
        value={rangeOf(search)}
        onChange={range =>
          change({ range: undefined, from: undefined, to: undefined, ...searchOfRange(range) })
        }
      />
      <div className="flex max-w-full flex-wrap items-center gap-2">
        <SearchChip
          name={say("account")}
          value={search.account ?? null}
          onChange={account => change({ account: account ?? undefined, key: undefined })}
          options={withChosen(accounts, search.account)}
        />
        <KeyFilter />
        <FilterChip
          name={say("upstream")}
          value={search.upstream ?? null}
          onChange={upstream => change({ upstream: upstream ?? undefined })}
          options={withChosen(plain(names?.upstreams), search.upstream)}
        />
        <FilterChip
          name={usual("model")}
          value={search.model ?? null}
          onChange={model => change({ model: model ?? undefined })}
          options={withChosen(plain(names?.models), search.model)}
        />
        <FilterChip
          name={usual("status")}
          value={search.outcome ?? null}
          onChange={outcome => change({ outcome: outcome ?? undefined })}
          options={OUTCOMES.map(value => ({ value, label: usual(outcomeWord(value)) }))}
        />
        <FilterChip
          name={usual("tool")}
          value={search.tool ?? null}
          onChange={tool => change({ tool: tool ?? undefined })}
          options={withChosen(plain(names?.tools), search.tool)}
        />
        {isNarrowed(search) ? (
          <Button size="sm" tone="ghost" icon={<X size={14} aria-hidden />} onClick={clear}>
            {usual("clearFilters")}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** Keys are chosen among those of the account that was chosen; a link may name one without it. */
function KeyFilter() {
  const usual = useWords(usageWords);
  const { search, change } = useHouseSearch();
  const { account, key } = search;
  const { data } = useQuery({
    ...queryOf("GET /operator/accounts/{id}/keys", { params: { id: account ?? "" } }),
    enabled: account !== undefined,
  });
  if (account === undefined && key === undefined) return null;
  const keys = (data?.keys ?? []).map(({ id, name, state }) => ({
    value: id,
    label: state === "deleted" ? usual("deletedKey", { name }) : name,
  }));
  return (
    <FilterChip
      name={usual("key")}
      value={key ?? null}
      onChange={next => change({ key: next ?? undefined })}
      options={withChosen(keys, key)}
    />
  );
}
