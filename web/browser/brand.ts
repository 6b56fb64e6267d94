import { accentShades, readColour } from "../../src/domain/settings-accent.ts";
import { keep, kept } from "./kept.ts";

/** What the house calls itself and looks like. This browser remembers it, so that a page begins in the right colours. */
export type Brand = {
  name: string;
  logo: string | null;
  accent: { light: string; dark: string } | null;
  language: "auto" | "en" | "zh";
};

const PRODUCT: Brand = { name: "Wicketgate", logo: null, accent: null, language: "auto" };
const LOGO = /^\/console\/api\/house\/logo\?v=[0-9a-f]+$/;
const THEMES = ["light", "dark"] as const;
const SHADES = ["accent", "hover", "ink", "soft"] as const;

export function keptBrand(): Brand {
  try {
    return readBrand(JSON.parse(kept("house") ?? "null"));
  } catch {
    return PRODUCT;
  }
}

function readBrand(found: Partial<Brand> | null): Brand {
  if (typeof found?.name !== "string") return PRODUCT;
  const { name, logo, accent, language } = found;
  return {
    name,
    logo: typeof logo === "string" && LOGO.test(logo) ? logo : null,
    accent: accent ?? null,
    language: language === "en" || language === "zh" ? language : "auto",
  };
}

export function keepBrand(brand: Brand): void {
  keep("house", JSON.stringify(brand));
}

/** The style sheet takes these where they are there, and its own colours where they are not. */
export function showAccent(accent: Brand["accent"]): void {
  const { style } = document.documentElement;
  for (const theme of THEMES) {
    const tone = accent === null ? null : readColour(String(accent[theme]));
    const shades = tone === null ? null : accentShades(tone, theme);
    for (const shade of SHADES) {
      const property = `--house-${theme}-${shade}`;
      if (shades === null) style.removeProperty(property);
      else style.setProperty(property, shades[shade]);
    }
  }
}

/** In the browser's tab. */
export function showIcon(logo: string | null): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  link.dataset["own"] ??= link.getAttribute("href") ?? "";
  const href = logo ?? link.dataset["own"];
  if (link.getAttribute("href") === href) return;
  if (logo === null) link.type = "image/svg+xml";
  else link.removeAttribute("type");
  link.href = href;
}
