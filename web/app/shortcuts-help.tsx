import { Dialog } from "../parts/dialog.tsx";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

const SHORTCUTS = [
  { keys: ["g", "k"], word: "goKeys" },
  { keys: ["g", "m"], word: "goModels" },
  { keys: ["g", "u"], word: "goUsage" },
  { keys: ["g", "c"], word: "goCheck" },
  { keys: ["g", "a"], word: "goAccount" },
  { keys: ["c"], word: "createKey" },
  { keys: ["/"], word: "findHere" },
  { keys: ["↑", "↓"], word: "walkRows" },
  { keys: ["↵"], word: "openRow" },
  { keys: ["?"], word: "showHelp" },
] as const;

export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const say = useWords(appWords);
  return (
    <Dialog open onClose={onClose} title={say("shortcuts")} size="sm">
      <dl className="grid gap-0">
        {SHORTCUTS.map(({ keys, word }) => (
          <div
            key={word}
            className="flex items-center justify-between border-line border-b py-2 last:border-0"
          >
            <dt>{say(word)}</dt>
            <dd className="flex gap-1">
              {keys.map(key => (
                <kbd
                  key={key}
                  className="grid h-6 min-w-6 place-items-center rounded-sm border border-line-strong bg-sunken px-1.5 text-ink-2 text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
