import { useNavigate } from "@tanstack/react-router";
import { CircleUser, Keyboard, Languages, LogOut, Monitor, Moon, Sun, TriangleAlert } from "lucide-react";
import type { Session } from "../api/session.ts";
import { keptTheme } from "../browser/theme.ts";
import { compareMoney, formatMoneyShort } from "../format/money.ts";
import { Menu, type MenuEntry } from "../parts/menu.tsx";
import { LANGUAGES } from "../words/language.ts";
import { useLanguage, useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";
import { MORE_PAGES, type NavEntry, OPERATOR_PAGES } from "./nav-entries.tsx";
import { showShortcuts } from "./shortcuts.tsx";
import { useSignOut } from "./sign-out.ts";
import { useTastes } from "./tastes.ts";

const THEME_LOOKS = {
  system: { word: "themeSystem", icon: <Monitor size={15} aria-hidden /> },
  light: { word: "themeLight", icon: <Sun size={15} aria-hidden /> },
  dark: { word: "themeDark", icon: <Moon size={15} aria-hidden /> },
} as const;

export function AccountMenu({ session, look }: { session: Session; look: "foot" | "corner" }) {
  const say = useWords(appWords);
  const { language } = useLanguage();
  const navigate = useNavigate();
  const tastes = useTastes(session);
  const signOut = useSignOut();
  const { account } = session;
  const theme = keptTheme();
  const goTo = ({ to, word, icon }: NavEntry): MenuEntry => ({
    label: say(word),
    icon,
    onSelect: () => void navigate({ to }),
  });
  const entries: MenuEntry[] = [
    {
      label: say("account"),
      icon: <CircleUser size={15} aria-hidden />,
      onSelect: () => void navigate({ to: "/account" }),
    },
    ...(look === "corner" ? MORE_PAGES.map(goTo) : []),
    ...(look === "corner" && account.role === "operator"
      ? ["line" as const, ...OPERATOR_PAGES.map(goTo)]
      : []),
    "line",
    ...(["system", "light", "dark"] as const).map(id => ({
      label: say(THEME_LOOKS[id].word),
      icon: THEME_LOOKS[id].icon,
      checked: id === theme,
      onSelect: () => tastes.setTheme(id),
    })),
    "line",
    ...LANGUAGES.map(({ id, name }) => ({
      label: name,
      icon: <Languages size={15} aria-hidden />,
      checked: id === language,
      onSelect: () => tastes.setLanguage(id),
    })),
    "line",
    ...(look === "foot"
      ? [{ label: say("shortcuts"), icon: <Keyboard size={15} aria-hidden />, onSelect: showShortcuts }]
      : []),
    { label: say("signOut"), icon: <LogOut size={15} aria-hidden />, onSelect: () => void signOut() },
  ];
  // To the cent where it is dollars; the account page has every digit.
  const decimals = compareMoney(account.balance_usd, "1") < 0 ? 4 : 2;
  const balance = formatMoneyShort(account.balance_usd, language, decimals);
  return (
    <Menu
      align={look === "foot" ? "start" : "end"}
      side={look === "foot" ? "top" : "bottom"}
      entries={entries}
      trigger={
        <button
          type="button"
          className={
            look === "foot"
              ? "grid w-full rounded-md px-2.5 py-2 text-left transition-colors hover:bg-hover data-popup-open:bg-hover"
              : "flex items-center gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-hover"
          }
        >
          <span className="sr-only">{say("accountMenu")}</span>
          {look === "foot" ? <span className="truncate">{account.name || account.email}</span> : null}
          {account.balance_is_low ? (
            <span className="flex items-center gap-1 font-medium text-warn text-xs">
              <TriangleAlert size={13} aria-hidden />
              {say("balance", { amount: balance })}
            </span>
          ) : (
            <span className="text-ink-3 text-xs tabular-nums">{say("balance", { amount: balance })}</span>
          )}
          {look === "corner" ? <CircleUser size={20} className="text-ink-2" aria-hidden /> : null}
        </button>
      }
    />
  );
}
