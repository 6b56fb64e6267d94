import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import type { Session } from "../api/session.ts";
import { chooseTheme, keptTheme } from "../browser/theme.ts";
import { useLanguage, useWords } from "../words/language-provider.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { appWords } from "./app-words.ts";
import { HouseMark, useBrand } from "./brand.tsx";
import { LowBalance } from "./low-balance.tsx";
import { HOLDER_PAGES, MORE_PAGES, type NavEntry, OPERATOR_PAGES } from "./nav-entries.tsx";
import { OfflineLine } from "./offline-line.tsx";
import { Shortcuts } from "./shortcuts.tsx";

const MAIN_ID = "page";

/** What the account chose counts in every browser it signs in from. */
function useAccountTastes({ account }: Session): void {
  const { choose } = useLanguage();
  useEffect(() => {
    if (account.language !== null) choose(account.language);
  }, [account.language, choose]);
  useEffect(() => {
    if (account.theme !== keptTheme()) chooseTheme(account.theme);
  }, [account.theme]);
}

export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const say = useWords(appWords);
  useAccountTastes(session);
  const isOperator = session.account.role === "operator";
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[228px_minmax(0,1fr)]">
      <a
        href={`#${MAIN_ID}`}
        className="sr-only z-50 rounded-md bg-panel px-3 py-2 font-medium shadow-2 focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        {say("skip")}
      </a>
      <nav
        aria-label={say("pages")}
        className="sticky top-0 flex h-dvh flex-col gap-0.5 overflow-y-auto border-line border-r bg-sunken px-3 py-[18px] phone:hidden"
      >
        <Brand />
        {[...HOLDER_PAGES, ...MORE_PAGES].map(entry => (
          <SideLink key={entry.to} entry={entry} />
        ))}
        {isOperator ? (
          <>
            <p className="mx-2.5 mt-4 mb-1 text-[11px] text-ink-3 uppercase tracking-[0.06em]">
              {say("operator")}
            </p>
            {OPERATOR_PAGES.map(entry => (
              <SideLink key={entry.to} entry={entry} />
            ))}
          </>
        ) : null}
        <div className="mt-auto border-line border-t pt-2">
          <AccountMenu session={session} look="foot" />
        </div>
      </nav>
      <header className="sticky top-0 z-20 flex items-center justify-between border-line border-b bg-bg/90 py-1.5 pr-2 pl-3.5 backdrop-blur md:hidden">
        <Brand />
        <AccountMenu session={session} look="corner" />
      </header>
      <div className="min-w-0">
        <OfflineLine />
        <main
          id={MAIN_ID}
          tabIndex={-1}
          className="w-full max-w-[1240px] px-9 pt-7 pb-16 outline-none phone:px-3.5 phone:pt-[18px] phone:pb-28"
        >
          <LowBalance account={session.account} />
          {children}
        </main>
      </div>
      <nav
        aria-label={say("pages")}
        className="fixed inset-x-0 bottom-0 z-20 grid grid-cols-5 border-line border-t bg-panel/95 pb-[env(safe-area-inset-bottom)] backdrop-blur md:hidden"
      >
        {HOLDER_PAGES.map(({ to, short, icon }) => (
          <Link
            key={to}
            to={to}
            className="grid justify-items-center gap-0.5 px-1 py-2 text-[11px] text-ink-2 outline-offset-[-3px]"
            activeProps={{ className: "text-accent! font-medium", "aria-current": "page" }}
          >
            {icon}
            {say(short)}
          </Link>
        ))}
      </nav>
      <Shortcuts />
    </div>
  );
}

function Brand() {
  const { name } = useBrand();
  return (
    <Link
      to="/keys"
      className="flex min-w-0 items-center gap-2.5 rounded-md px-2.5 pt-1 font-semibold text-lg md:mb-3.5 md:pb-1 phone:px-0 phone:py-1"
    >
      <HouseMark className="size-[22px] shrink-0" />
      <span dir="auto" className="min-w-0 truncate" title={name}>
        {name}
      </span>
    </Link>
  );
}

function SideLink({ entry }: { entry: NavEntry }) {
  const say = useWords(appWords);
  return (
    <Link
      to={entry.to}
      className="flex items-center gap-2.5 rounded-md px-2.5 py-[7px] text-ink-2 transition-colors hover:bg-hover hover:text-ink [&_svg]:text-ink-3"
      activeProps={{
        className: "bg-panel! text-ink! font-medium shadow-[0_0_0_1px_var(--line)] [&_svg]:text-accent!",
        "aria-current": "page",
      }}
    >
      {entry.icon}
      {say(entry.word)}
    </Link>
  );
}
