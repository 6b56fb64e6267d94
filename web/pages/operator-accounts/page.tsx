import { MailPlus, Users } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { AccountList } from "./account-list.tsx";
import type { Person } from "./account-reads.ts";
import { AccountTools } from "./account-tools.tsx";
import { InvitationList } from "./invitation-list.tsx";
import type { Open } from "./open-dialog.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { isNarrowed, matching, useAccountsSearch } from "./use-accounts-search.ts";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));
const AccountPanel = lazy(async () => ({ default: (await import("./account-panel.tsx")).AccountPanel }));

function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback(({ id }: Person, isSelected: boolean) => {
    setSelected(before => {
      const next = new Set(before);
      if (isSelected) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  return { selected, select, setSelected };
}

export function Page() {
  const say = useWords(words);
  const accounts = useApi("GET /operator/accounts");
  const { search, change } = useAccountsSearch();
  const [open, setOpen] = useState<Open | null>(null);
  const { selected, select, setSelected } = useSelection();
  const people = accounts.data?.accounts;
  const rows = useMemo(() => (people === undefined ? undefined : matching(people, search)), [people, search]);
  if (accounts.error instanceof ApiError && accounts.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  // What a filter hides is not changed with the rest.
  const chosen = (rows ?? []).filter(({ id }) => selected.has(id));
  const invite = () => setOpen({ what: "invite" });
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <Button tone="primary" icon={<MailPlus size={16} aria-hidden />} onClick={invite}>
            {say("invite")}
          </Button>
        }
      />
      <div className="panel mb-4">
        <AccountTools shown={rows?.length ?? null} count={people?.length ?? 0} />
        {chosen.length === 0 ? null : (
          <SelectionBar
            people={chosen}
            onShow={setOpen}
            onAll={
              chosen.length === rows?.length ? null : () => setSelected(new Set(rows?.map(({ id }) => id)))
            }
            onClear={() => setSelected(new Set())}
          />
        )}
        <AccountList
          rows={rows}
          error={accounts.error}
          onRetry={() => void accounts.refetch()}
          onShow={setOpen}
          selected={selected}
          onSelect={select}
          empty={<Empty isNarrowed={isNarrowed(search)} onInvite={invite} />}
        />
      </div>
      <InvitationList onTakeBack={invitation => setOpen({ what: "take-back", invitation })} />
      {search.account === undefined ? null : (
        <Suspense fallback={null}>
          <AccountPanel
            key={search.account}
            id={search.account}
            onClose={() => change({ account: undefined, part: undefined }, true)}
          />
        </Suspense>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} onOpen={setOpen} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}

function Empty({ isNarrowed: isFiltered, onInvite }: { isNarrowed: boolean; onInvite: () => void }) {
  const say = useWords(words);
  const { change } = useAccountsSearch();
  if (isFiltered) {
    const clear = () => change({ q: undefined, role: undefined, state: undefined });
    return (
      <EmptyState title={say("noMatch")} action={<Button onClick={clear}>{say("clearSearch")}</Button>}>
        {say("noMatchText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Users size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <Button tone="primary" onClick={onInvite}>
          {say("invite")}
        </Button>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
