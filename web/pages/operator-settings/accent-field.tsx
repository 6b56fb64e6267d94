import type { CSSProperties } from "react";
import {
  accentProblem,
  accentShades,
  accentTones,
  CONTRAST_MIN,
  contrast,
  readColour,
} from "../../../src/domain/settings-accent.ts";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Draft, type Given, isLocked, type Setting, shownValue } from "./setting.ts";
import { words } from "./words.ts";

type Props = { setting: Setting; draft: Draft; onChange: (value: Given) => void };

/** As the style sheet begins; see web/styles/tokens.css. */
const OWN = "#17694f";
const PAGE = "#f4f2ee";
const WHITE = "#ffffff";
const GROUNDS = {
  light: { bg: "#faf9f7", ink: "#1c1a17" },
  dark: { bg: "#1b1a17", ink: "#f1eee8" },
} as const;

/** A colour, with what it does to a page and whether it can be read. */
export function AccentField({ setting, draft, onChange }: Props) {
  const say = useWords(words);
  const value = shownValue(setting, draft);
  const colour = value === "" ? OWN : readColour(value);
  return (
    <div className="grid gap-2.5">
      <div className="flex items-center gap-2">
        <input
          type="color"
          aria-label={say("pickColour")}
          value={colour ?? OWN}
          disabled={isLocked(setting)}
          onChange={event => onChange(event.target.value)}
          className="h-9 w-12 shrink-0 cursor-pointer rounded-md border border-line-strong bg-panel p-1 disabled:cursor-not-allowed"
        />
        <TextInput
          mono
          value={value}
          placeholder={OWN}
          onChange={onChange}
          disabled={isLocked(setting)}
          autoComplete="off"
          spellCheck={false}
          maxLength={7}
        />
      </div>
      {colour === null ? (
        <p role="status" className="text-bad text-sm">
          {say("contrastUnread")}
        </p>
      ) : (
        <Preview colour={colour} />
      )}
    </div>
  );
}

/** As told: to a tenth, and never better than it is. */
function ratio(one: string, other: string): string {
  return (Math.floor(contrast(one, other) * 10) / 10).toFixed(1);
}

function Preview({ colour }: { colour: string }) {
  const say = useWords(words);
  const isGood = accentProblem(colour) === null;
  const told = { white: ratio(WHITE, colour), page: ratio(colour, PAGE) };
  const tones = accentTones(colour);
  return (
    <div className="grid gap-2">
      <p role="status" className={isGood ? "text-ink-2 text-sm" : "text-bad text-sm"}>
        {isGood ? say("contrastGood", told) : say("contrastBad", { ...told, least: CONTRAST_MIN })}
      </p>
      <div aria-hidden className="grid gap-2 sm:grid-cols-2">
        <Sample tone={tones.light} theme="light" title={say("previewLight")} />
        <Sample tone={tones.dark} theme="dark" title={say("previewDark")} />
      </div>
    </div>
  );
}

function Sample({ tone, theme, title }: { tone: string; theme: "light" | "dark"; title: string }) {
  const say = useWords(words);
  const { accent, ink, soft } = accentShades(tone, theme);
  const ground = GROUNDS[theme];
  const button: CSSProperties = { background: accent, color: ink };
  return (
    <div
      className="grid justify-items-start gap-2 rounded-lg border border-line px-3.5 py-3"
      style={{ background: ground.bg, color: ground.ink }}
    >
      <span className="text-xs">{title}</span>
      <span className="flex flex-wrap items-center gap-3">
        <span className="rounded-md px-3 py-1.5 font-medium text-sm" style={button}>
          {say("previewButton")}
        </span>
        <span className="font-medium text-sm underline underline-offset-3" style={{ color: accent }}>
          {say("previewLink")}
        </span>
        <span className="rounded-sm px-2 py-0.5 text-xs" style={{ background: soft, color: accent }}>
          {say("preview")}
        </span>
      </span>
    </div>
  );
}
