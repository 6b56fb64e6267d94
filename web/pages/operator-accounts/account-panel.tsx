import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Detail } from "./account-reads.ts";
import { type Open, OpenDialog } from "./open-dialog.tsx";
import { PanelKeys } from "./panel-keys.tsx";
import { PanelLedger } from "./panel-ledger.tsx";
import { PanelOverview } from "./panel-overview.tsx";
import { panelWords } from "./panel-words.ts";
import { useAccountsSearch } from "./use-accounts-search.ts";

type Props = { id: string; onClose: () => void };

/** One account, beside the list. Its dialogs stand within it, so that Esc closes the one on top alone. */
export function AccountPanel({ id, onClose }: Props) {
  const say = useWords(panelWords);
  const detail = useApi("GET /operator/accounts/{id}", { params: { id } });
  const [open, setOpen] = useState<Open | null>(null);
  const isMissing = detail.error instanceof ApiError && detail.error.code === "not_found";
  return (
    <SidePanel
      open
      wide
      onClose={onClose}
      title={<span className="break-all">{detail.data?.account.email ?? say("account")}</span>}
      description={<CodeValue value={id} what={say("accountId")} />}
      {...(detail.data === undefined ? {} : { footer: <Actions detail={detail.data} onShow={setOpen} /> })}
    >
      {isMissing ? (
        <EmptyState title={say("missing")}>{say("missingText")}</EmptyState>
      ) : detail.data !== undefined ? (
        <Parts detail={detail.data} onShow={setOpen} />
      ) : detail.error !== null ? (
        <ErrorState error={detail.error} onRetry={() => void detail.refetch()} />
      ) : (
        <div className="grid gap-3">
          <Skeleton className="h-8 w-56" />
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
      {open === null ? null : <OpenDialog open={open} onOpen={setOpen} onClose={() => setOpen(null)} />}
    </SidePanel>
  );
}

type PartProps = { detail: Detail; onShow: (open: Open) => void };

function Parts({ detail, onShow }: PartProps) {
  const say = useWords(panelWords);
  const { search, change } = useAccountsSearch();
  const { account } = detail;
  return (
    <Tabs
      label={say("parts")}
      value={search.part ?? "overview"}
      onChange={part => change({ part: part === "overview" ? undefined : part })}
      tabs={[
        {
          value: "overview",
          label: say("overview"),
          content: <PanelOverview detail={detail} onShow={onShow} />,
        },
        { value: "keys", label: say("keys"), content: <PanelKeys person={account} onShow={onShow} /> },
        { value: "ledger", label: say("ledger"), content: <PanelLedger id={account.id} /> },
      ]}
    />
  );
}

function Actions({ detail, onShow }: PartProps) {
  const say = useWords(panelWords);
  const { account, sessions } = detail;
  return (
    <>
      <Button size="sm" onClick={() => onShow({ what: "reset", person: account })}>
        {say("makeReset")}
      </Button>
      <Button size="sm" disabled={sessions === 0} onClick={() => onShow({ what: "sign-out", detail })}>
        {say("signOut")}
      </Button>
      <LinkButton size="sm" tone="ghost" to="/operator/usage" search={{ account: account.id }}>
        {say("usage")}
      </LinkButton>
      <LinkButton
        size="sm"
        tone="ghost"
        to="/operator/audit"
        search={{ noun: "account", name: account.email }}
      >
        {say("changes")}
      </LinkButton>
      <Button
        size="sm"
        tone={account.enabled ? "bad" : "plain"}
        className="ml-auto"
        onClick={() => onShow({ what: "state", people: [account], enabled: !account.enabled })}
      >
        {say(account.enabled ? "disable" : "enable")}
      </Button>
    </>
  );
}
