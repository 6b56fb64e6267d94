import { useLocation } from "@tanstack/react-router";
import type { Session } from "../api/session.ts";
import { formatMoney } from "../format/money.ts";
import { Banner } from "../parts/banner.tsx";
import { LinkButton } from "../parts/link-button.tsx";
import { useLanguage, useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

/** Before requests are refused: what is left, and where to do something about it. */
export function LowBalance({ account }: { account: Session["account"] }) {
  const say = useWords(appWords);
  const { language } = useLanguage();
  const isThere = useLocation({ select: ({ pathname }) => pathname === "/account" });
  // The account's own page says it with what can be done there.
  if (!account.balance_is_low || isThere) return null;
  return (
    <Banner
      tone="warn"
      title={say("balanceLow")}
      className="mb-4"
      action={
        <LinkButton to="/account" search={{ tab: "money" }} size="sm">
          {say("seeAccount")}
        </LinkButton>
      }
    >
      {say("balanceLowText", { amount: formatMoney(account.balance_usd, language) })}
    </Banner>
  );
}
