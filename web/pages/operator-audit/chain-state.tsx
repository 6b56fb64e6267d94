import { ShieldCheck } from "lucide-react";
import { Banner } from "../../parts/banner.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

const COMMAND = "wicketgate verify";

/** Whether every entry still follows from the one before it. */
export function ChainState({ chain }: { chain: "whole" | "broken" | "checking" | null }) {
  const say = useWords(words);
  if (chain === "broken") {
    return (
      <Banner tone="bad" title={say("broken")} className="mb-3.5">
        {say.rich("brokenText", { command: <code key="command">{COMMAND}</code> })}
      </Banner>
    );
  }
  return (
    <p role="status" className="mb-3.5 flex min-h-5 items-start gap-1.5 text-ink-2 text-sm">
      {chain === null ? null : (
        <>
          <ShieldCheck
            size={15}
            className={chain === "whole" ? "mt-0.5 shrink-0 text-ok" : "mt-0.5 shrink-0 text-ink-3"}
            aria-hidden
          />
          {say(chain)}
        </>
      )}
    </p>
  );
}
