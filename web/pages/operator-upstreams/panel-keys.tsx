import { Trash2 } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Part } from "../../parts/facts.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { Standing } from "./panel-overview.tsx";
import { panelWords } from "./panel-words.ts";
import type { Credential, Upstream } from "./upstream-reads.ts";
import { useWhy } from "./why-text.ts";

type Props = { one: Upstream; onShow: (open: Open) => void };

const LOOKS: Record<Credential["state"], { tone: PillTone; word: "keyOk" | "keyRejected" | "keyResting" }> = {
  ok: { tone: "ok", word: "keyOk" },
  rejected: { tone: "bad", word: "keyRejected" },
  resting: { tone: "warn", word: "keyResting" },
};

export function PanelKeys({ one, onShow }: Props) {
  const say = useWords(panelWords);
  const add =
    one.base_url === null ? undefined : (
      <Button size="sm" tone="primary" onClick={() => onShow({ what: "add-key", one })}>
        {say("addKey")}
      </Button>
    );
  if (one.credentials.length === 0) {
    return (
      <EmptyState title={say("noKeys")} {...(add === undefined ? {} : { action: add })}>
        {say("noKeysText")}
      </EmptyState>
    );
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Standing one={one} />
      <Part title={say("keys")} action={add}>
        <p className="text-ink-2 text-sm">{say("keysText")}</p>
        <ul className="rounded-lg border border-line">
          {one.credentials.map(credential => (
            <Row key={credential.id} credential={credential} one={one} onShow={onShow} />
          ))}
        </ul>
      </Part>
    </div>
  );
}

function Row({ credential, one, onShow }: Props & { credential: Credential }) {
  const say = useWords(panelWords);
  const tellWhy = useWhy();
  const { label, state, since, until, why } = credential;
  const { tone, word } = LOOKS[state];
  return (
    <li className="flex items-center gap-3 border-line border-b px-3.5 py-2.5 last:border-0">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <code className="break-all font-medium">{label}</code>
          <Pill tone={tone}>{say(word)}</Pill>
        </span>
        {state === "ok" ? null : (
          <span className="flex flex-wrap gap-x-2 text-ink-2 text-sm">
            {why === null ? null : <bdi className="break-words">{tellWhy(why)}</bdi>}
            {since === null ? null : (
              <span className="text-ink-3">
                {say.rich("since", { when: <RelativeTime key="since" at={since} /> })}
              </span>
            )}
            {until === null ? null : (
              <span className="text-ink-3">
                {say.rich("until", { when: <RelativeTime key="until" at={until} /> })}
              </span>
            )}
          </span>
        )}
      </div>
      <IconButton
        label={say("removeKey", { label })}
        icon={<Trash2 size={16} aria-hidden />}
        onClick={() => onShow({ what: "remove-key", one, credential })}
      />
    </li>
  );
}
