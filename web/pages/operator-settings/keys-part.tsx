import { lazy, Suspense, useState } from "react";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Section } from "./section.tsx";
import { shownValue } from "./setting.ts";
import type { PartProps } from "./sign-in-part.tsx";
import { words } from "./words.ts";

const SealedDialog = lazy(async () => ({ default: (await import("./sealed-dialog.tsx")).SealedDialog }));

const NAMES = ["sealed_copies"];

export function KeysPart({ settings, drafting }: PartProps) {
  const say = useWords(words);
  const kept = useApi("GET /operator/settings/sealed-copies").data?.keys;
  const [asking, setAsking] = useState<"off" | "remove" | null>(null);
  const setting = settings.find(({ name }) => name === "sealed_copies");
  const isOff = setting?.value === "off";
  const willBeOff = setting !== undefined && shownValue(setting, drafting.draft) === "off";
  return (
    <Section
      settings={settings}
      drafting={drafting}
      title={say("keys")}
      description={say("keysText")}
      names={NAMES}
      before={() => {
        if (isOff || !willBeOff) return false;
        setAsking("off");
        return true;
      }}
      actions={() =>
        isOff && (kept ?? 0) > 0 ? (
          <Button tone="bad" onClick={() => setAsking("remove")}>
            {say("removeCopies")}
          </Button>
        ) : null
      }
    >
      {kept === undefined ? null : (
        <p className="text-ink-2">{kept === 0 ? say("keysNone") : say("keysKept", { count: kept })}</p>
      )}
      {asking === null ? null : (
        <Suspense fallback={null}>
          <SealedDialog
            what={asking}
            kept={kept ?? 0}
            onDone={() => {
              drafting.forget(NAMES);
              setAsking(null);
            }}
            onClose={() => setAsking(null)}
          />
        </Suspense>
      )}
    </Section>
  );
}
