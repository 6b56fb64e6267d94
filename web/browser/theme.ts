import { keep, kept } from "./kept.ts";

export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function keptTheme(): Theme {
  const found = kept("theme");
  return found === "light" || found === "dark" ? found : "system";
}

/** Without the attribute the style sheet follows the system. */
export function showTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", theme);
}

export function chooseTheme(theme: Theme): void {
  keep("theme", theme === "system" ? null : theme);
  showTheme(theme);
}
