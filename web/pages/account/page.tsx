import { useNavigate, useSearch } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { lazy, Suspense } from "react";
import { useApi } from "../../api/query.ts";
import { useSession } from "../../api/session.ts";
import type { accountSearch } from "../../app/search.ts";
import { useSignOut } from "../../app/sign-out.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Account } from "./account.ts";
import { MoneyTab } from "./money-tab.tsx";
import { words } from "./words.ts";

const LedgerTab = lazy(async () => ({ default: (await import("./ledger-tab.tsx")).LedgerTab }));
const ProfileTab = lazy(async () => ({ default: (await import("./profile-tab.tsx")).ProfileTab }));
const SecurityTab = lazy(async () => ({ default: (await import("./security-tab.tsx")).SecurityTab }));
const SessionsTab = lazy(async () => ({ default: (await import("./sessions-tab.tsx")).SessionsTab }));

type Tab = NonNullable<ReturnType<typeof accountSearch>["tab"]>;

const TABS = [
  { value: "money", word: "tabMoney" },
  { value: "ledger", word: "tabLedger" },
  { value: "profile", word: "tabProfile" },
  { value: "security", word: "tabSecurity" },
  { value: "sessions", word: "tabSessions" },
] as const satisfies readonly { value: Tab; word: string }[];

export function Page() {
  const say = useWords(words);
  const { tab = "money" } = useSearch({ from: "/signed-in/account" });
  const navigate = useNavigate({ from: "/account" });
  const account = useApi("GET /account");
  const session = useSession().data;
  const signOut = useSignOut();
  const choose = (next: Tab) =>
    void navigate({ search: next === "money" ? {} : { tab: next }, replace: true, resetScroll: false });
  const content =
    account.data !== undefined ? (
      <Suspense fallback={<Waiting />}>
        <Shown tab={tab} account={account.data} />
      </Suspense>
    ) : account.error !== null ? (
      <ErrorState error={account.error} onRetry={() => void account.refetch()} />
    ) : (
      <Waiting />
    );
  return (
    <>
      <PageHeader
        title={say("title")}
        description={<span className="break-all">{session?.account.email}</span>}
        actions={
          <Button icon={<LogOut size={15} aria-hidden />} onClick={() => void signOut()}>
            {say("signOut")}
          </Button>
        }
      />
      <Tabs
        label={say("parts")}
        value={tab}
        onChange={choose}
        tabs={TABS.map(({ value, word }) => ({
          value,
          label: say(word),
          content: value === tab ? content : null,
        }))}
      />
    </>
  );
}

function Shown({ tab, account }: { tab: Tab; account: Account }) {
  switch (tab) {
    case "money":
      return <MoneyTab account={account} />;
    case "ledger":
      return <LedgerTab />;
    case "profile":
      return <ProfileTab account={account} />;
    case "security":
      return <SecurityTab account={account} />;
    case "sessions":
      return <SessionsTab />;
  }
}

function Waiting() {
  return (
    <div className="grid gap-3.5">
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-44 w-full" />
    </div>
  );
}
