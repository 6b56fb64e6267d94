import { ActivitySquare, SearchX } from "lucide-react";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { isNarrowed } from "./filter.ts";
import { useUsageSearch } from "./use-usage-search.ts";
import { words } from "./words.ts";

/** None to show: because of the filters, because of the range, or because there has never been one. */
export function UsageEmpty() {
  const say = useWords(words);
  const { search, change, clear } = useUsageSearch();
  const names = useApi("GET /usage/names").data;
  const keys = useApi("GET /keys").data;
  if (isNarrowed(search)) {
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={say("noMatch")}
        action={<Button onClick={clear}>{say("clearFilters")}</Button>}
      >
        {say("noMatchText")}
      </EmptyState>
    );
  }
  if ((names?.models.length ?? 0) > 0) {
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={say("noneInRange")}
        action={
          search.range === "90d" ? undefined : (
            <Button onClick={() => change({ range: "90d", from: undefined, to: undefined })}>
              {say("showLonger")}
            </Button>
          )
        }
      >
        {say("noneInRangeText")}
      </EmptyState>
    );
  }
  const hasKey = keys?.keys.some(({ state }) => state === "active") ?? false;
  return (
    <EmptyState
      icon={<ActivitySquare size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <>
          {hasKey ? (
            <LinkButton to="/keys" tone="primary">
              {say("emptyKeys")}
            </LinkButton>
          ) : (
            <LinkButton to="/keys" search={{ show: "create" }} tone="primary">
              {say("emptyCreate")}
            </LinkButton>
          )}
          <LinkButton to="/check">{say("emptyCheck")}</LinkButton>
        </>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
