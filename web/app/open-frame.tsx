import { useNavigate } from "@tanstack/react-router";
import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { type ReactNode, useState } from "react";
import { chooseTheme, keptTheme, THEMES, type Theme } from "../browser/theme.ts";
import { classNames } from "../parts/class-names.ts";
import { iconButtonClass } from "../parts/icon-button.tsx";
import { LinkButton } from "../parts/link-button.tsx";
import { Menu } from "../parts/menu.tsx";
import { LANGUAGES } from "../words/language.ts";
import { useLanguage, useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";
import { HouseMark, useBrand } from "./brand.tsx";
import { OfflineLine } from "./offline-line.tsx";

const THEME_ICONS = {
  system: <Monitor size={16} aria-hidden />,
  light: <Sun size={16} aria-hidden />,
  dark: <Moon size={16} aria-hidden />,
};
const THEME_WORDS = { system: "themeSystem", light: "themeLight", dark: "themeDark" } as const;

function ThemeButton() {
  const say = useWords(appWords);
  const [theme, setTheme] = useState<Theme>(keptTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  return (
    <button
      type="button"
      aria-label={say(THEME_WORDS[theme])}
      title={say(THEME_WORDS[theme])}
      className={iconButtonClass}
      onClick={() => {
        chooseTheme(next);
        setTheme(next);
      }}
    >
      {THEME_ICONS[theme]}
    </button>
  );
}

function LanguageButton() {
  const { language, choose } = useLanguage();
  return (
    <Menu
      entries={LANGUAGES.map(({ id, name }) => ({
        label: name,
        checked: id === language,
        onSelect: () => choose(id),
      }))}
      trigger={
        <button
          type="button"
          aria-label={LANGUAGES.find(({ id }) => id === language)?.name}
          className={iconButtonClass}
        >
          <Languages size={16} aria-hidden />
        </button>
      }
    />
  );
}

/** Around the pages that need nobody to be signed in. */
export function OpenFrame({ children, wide }: { children: ReactNode; wide?: boolean }) {
  const say = useWords(appWords);
  const { name } = useBrand();
  const navigate = useNavigate();
  return (
    <div className="flex min-h-dvh flex-col">
      <OfflineLine />
      <header className="flex items-center justify-between gap-2 px-5 py-3 phone:px-3.5">
        <button
          type="button"
          className="flex min-w-0 items-center gap-2.5 rounded-md font-semibold text-lg"
          onClick={() => void navigate({ to: "/sign-in", search: {} })}
        >
          <HouseMark className="size-[22px] shrink-0" />
          <span dir="auto" className="min-w-0 truncate" title={name}>
            {name}
          </span>
        </button>
        <span className="flex items-center gap-1">
          <LanguageButton />
          <ThemeButton />
          {wide ? (
            <LinkButton to="/sign-in" search={{}} size="sm" className="ml-1">
              {say("signIn")}
            </LinkButton>
          ) : null}
        </span>
      </header>
      <main
        className={classNames(
          "mx-auto w-full flex-1",
          wide
            ? "max-w-[920px] px-5 pt-4 pb-16 phone:px-3.5"
            : "grid max-w-[440px] content-center px-5 pt-4 pb-[12dvh]",
        )}
      >
        {children}
      </main>
    </div>
  );
}
