import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { FilterChip } from "../../parts/filter-chip.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { isNarrowed } from "./filter.ts";
import { useAuditSearch } from "./use-audit-search.ts";
import { useNames } from "./use-names.ts";
import { words } from "./words.ts";

const TYPING_MS = 250;
const RANGES = ["today", "7d", "30d", "90d"] as const;
const RANGE_WORDS = { today: "today", "7d": "days7", "30d": "days30", "90d": "days90" } as const;

type Option = { value: string; label: string };

/** A link may name what no list has: it is shown as it is, and can be taken away. */
function withChosen(options: Option[], value: string | undefined): Option[] {
  if (value === undefined || options.some(option => option.value === value)) return options;
  return [...options, { value, label: value }];
}

export function AuditToolbar() {
  const say = useWords(words);
  const { nounName } = useNames();
  const { search, change, clear } = useAuditSearch();
  const names = useApi("GET /operator/audit/names").data;
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2.5">
      <div className="min-w-48 flex-1 phone:w-full phone:flex-none">
        <NameSearch />
      </div>
      <FilterChip
        name={say("by")}
        value={search.by ?? null}
        onChange={by => change({ by: by ?? undefined })}
        options={withChosen(
          (names?.by ?? []).map(value => ({ value, label: value })),
          search.by,
        )}
      />
      <FilterChip
        name={say("noun")}
        value={search.noun ?? null}
        onChange={noun => change({ noun: noun ?? undefined })}
        options={withChosen(
          (names?.nouns ?? []).map(value => ({ value, label: nounName(value) })),
          search.noun,
        )}
      />
      <FilterChip
        name={say("time")}
        value={search.range ?? null}
        onChange={range => change({ range: range ?? undefined, from: undefined, to: undefined })}
        options={RANGES.map(value => ({ value, label: say(RANGE_WORDS[value]) }))}
      />
      <Day name="from" />
      <Day name="to" />
      {isNarrowed(search) ? (
        <Button size="sm" tone="ghost" icon={<X size={14} aria-hidden />} onClick={clear}>
          {say("clearFilters")}
        </Button>
      ) : null}
    </div>
  );
}

/** The server is asked when somebody stops typing, not for every letter. */
function NameSearch() {
  const say = useWords(words);
  const { search, change } = useAuditSearch();
  const given = search.name ?? "";
  const [typed, setTyped] = useState(given);
  useEffect(() => setTyped(given), [given]);
  useEffect(() => {
    if (typed === given) return;
    const timer = setTimeout(() => change({ name: typed === "" ? undefined : typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, given, change]);
  return <SearchInput label={say("find")} value={typed} onChange={setTyped} />;
}

function Day({ name }: { name: "from" | "to" }) {
  const say = useWords(words);
  const { search, change } = useAuditSearch();
  return (
    <label className="inline-flex items-center gap-1.5 text-ink-2 text-sm">
      {say(name)}
      <input
        type="date"
        value={search[name] ?? ""}
        onChange={event => change({ [name]: event.target.value || undefined, range: undefined })}
        className="h-7 rounded-sm border border-line-strong bg-panel px-2 text-ink phone:h-9"
      />
    </label>
  );
}
