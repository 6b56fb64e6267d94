import { ActivitySquare, SearchX } from "lucide-react";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words as usageWords } from "../usage/words.ts";
import { isNarrowed } from "./filter.ts";
import { useHouseSearch } from "./use-house-search.ts";
import { words } from "./words.ts";

/** None to show: because of the filters, because of the range, or because there has never been one. */
export function HouseEmpty() {
  const say = useWords(words);
  const usual = useWords(usageWords);
  const { search, change, clear } = useHouseSearch();
  const names = useApi("GET /operator/usage/names").data;
  if (isNarrowed(search)) {
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={usual("noMatch")}
        action={<Button onClick={clear}>{usual("clearFilters")}</Button>}
      >
        {usual("noMatchText")}
      </EmptyState>
    );
  }
  if ((names?.models.length ?? 0) > 0) {
    const longer = () => change({ range: "90d", from: undefined, to: undefined });
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={usual("noneInRange")}
        action={search.range === "90d" ? undefined : <Button onClick={longer}>{usual("showLonger")}</Button>}
      >
        {usual("noneInRangeText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<ActivitySquare size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <>
          <LinkButton to="/operator/accounts" tone="primary">
            {say("emptyAccounts")}
          </LinkButton>
          <LinkButton to="/try">{say("emptyTry")}</LinkButton>
        </>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
