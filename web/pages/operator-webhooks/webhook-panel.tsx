import { Send } from "lucide-react";
import { useState } from "react";
import { formatTime } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Menu } from "../../parts/menu.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { eventName, eventWords } from "./event-words.ts";
import { type Open, OpenDialog } from "./open-dialog.tsx";
import { WebhookState } from "./state-pill.tsx";
import { useActions } from "./use-actions.ts";
import type { Webhook } from "./webhook.ts";
import { words } from "./words.ts";

type Props = {
  id: string;
  /** Undefined where the list has none of this id. */
  webhook: Webhook | undefined;
  /** Whether the list is there. */
  isHere: boolean;
  onClose: () => void;
};

/** One webhook, beside the list, with what was sent to it. */
export function WebhookPanel({ id, webhook, isHere, onClose }: Props) {
  const say = useWords(words);
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <SidePanel
      open
      wide
      onClose={onClose}
      title={
        <span dir="auto" className="break-words">
          {webhook?.name ?? say("panel")}
        </span>
      }
      description={<CodeValue value={id} what={say("webhookId")} />}
      {...(webhook === undefined ? {} : { footer: <Actions webhook={webhook} onShow={setOpen} /> })}
    >
      {webhook !== undefined ? (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
          <Facts webhook={webhook} />
          <DeliveryList id={id} />
        </div>
      ) : isHere ? (
        <EmptyState title={say("missing")}>{say("missingText")}</EmptyState>
      ) : (
        <div className="grid gap-3">
          <Skeleton className="h-16 w-full" />
          <Skeleton className="h-44 w-full" />
        </div>
      )}
      {open === null ? null : <OpenDialog open={open} onOpen={setOpen} onClose={() => setOpen(null)} />}
    </SidePanel>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const say = useWords(words);
  const tell = useWords(eventWords);
  const { failing_since: failingSince, old_secret_until: oldUntil } = webhook;
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <WebhookState webhook={webhook} />
        <code className="min-w-0 break-all text-sm">{webhook.url}</code>
      </div>
      {failingSince === null ? null : (
        <Banner tone="warn">
          {say(webhook.enabled ? "failingSince" : "switchedOffSince", {
            time: formatTime(failingSince, say.language, "date-time"),
          })}
        </Banner>
      )}
      {oldUntil === null ? null : (
        <Banner tone="quiet">
          {say("oldSecretUntil", { time: formatTime(oldUntil, say.language, "date-time") })}
        </Banner>
      )}
      <ul aria-label={say("events")} className="flex flex-wrap gap-1.5">
        {webhook.events.map(event => (
          <li key={event} title={event}>
            <Tag>{eventName(tell, event)}</Tag>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Actions({ webhook, onShow }: { webhook: Webhook; onShow: (open: Open) => void }) {
  const say = useWords(words);
  const { test, isTesting, pause, isPausing } = useActions(webhook);
  return (
    <>
      <Button size="sm" tone="primary" icon={<Send size={14} aria-hidden />} busy={isTesting} onClick={test}>
        {say("test")}
      </Button>
      <Button size="sm" onClick={() => onShow({ what: "edit", webhook })}>
        {say("edit")}
      </Button>
      <Button size="sm" busy={isPausing} onClick={pause}>
        {say(webhook.enabled ? "pause" : "resume")}
      </Button>
      <span className="ml-auto">
        <Menu
          label={say("moreFor", { name: webhook.name })}
          side="top"
          entries={[
            { label: say("newSecret"), onSelect: () => onShow({ what: "secret", webhook }) },
            { label: say("remove"), tone: "bad", onSelect: () => onShow({ what: "remove", webhook }) },
          ]}
        />
      </span>
    </>
  );
}
