import { type ReactNode, useMemo } from "react";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Menu } from "../../parts/menu.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { ACTIONS } from "../../parts/table-column.ts";
import { useWords } from "../../words/language-provider.tsx";
import { eventName, eventWords } from "./event-words.ts";
import type { Open } from "./open-dialog.tsx";
import { DeliveryState, WebhookState } from "./state-pill.tsx";
import { useActions } from "./use-actions.ts";
import type { Webhook } from "./webhook.ts";
import { words } from "./words.ts";

type Props = {
  rows: readonly Webhook[] | undefined;
  error: unknown;
  onRetry: () => void;
  openId: string | null;
  onOpen: (webhook: Webhook) => void;
  onShow: (open: Open) => void;
  empty: ReactNode;
};

function useFacts(): Column<Webhook>[] {
  const say = useWords(words);
  const tell = useWords(eventWords);
  return useMemo(
    () => [
      {
        id: "name",
        header: say("name"),
        card: "title",
        sort: webhook => webhook.name,
        cell: webhook => (
          <span className="grid min-w-0 md:w-72">
            <span dir="auto" className="break-words text-left font-medium">
              {webhook.name}
            </span>
            <code className="truncate text-ink-3 text-xs" title={webhook.url}>
              {webhook.url}
            </code>
          </span>
        ),
      },
      {
        id: "events",
        header: say("events"),
        cell: webhook => (
          <span title={webhook.events.map(event => eventName(tell, event)).join("\n")} className="text-ink-2">
            {say("allEvents", { count: webhook.events.length })}
          </span>
        ),
      },
      { id: "state", header: say("state"), cell: webhook => <WebhookState webhook={webhook} /> },
      {
        id: "last",
        header: say("lastDelivery"),
        descFirst: true,
        sort: webhook => webhook.last_delivery?.at ?? null,
        cell: ({ last_delivery: last }) =>
          last === null ? (
            <span className="text-ink-3">{say("never")}</span>
          ) : (
            <span className="flex flex-wrap items-center gap-2">
              <DeliveryState state={last.state} />
              <RelativeTime at={last.at} />
            </span>
          ),
      },
      {
        id: "made",
        header: say("made"),
        descFirst: true,
        sort: webhook => webhook.created_at,
        cell: webhook => <RelativeTime at={webhook.created_at} />,
      },
    ],
    [say, tell],
  );
}

export function WebhookList({ onShow, ...props }: Props) {
  const say = useWords(words);
  const facts = useFacts();
  const columns = useMemo<Column<Webhook>[]>(
    () => [
      ...facts,
      {
        ...ACTIONS,
        header: say("state"),
        cell: webhook => <RowMenu webhook={webhook} onShow={onShow} />,
      },
    ],
    [say, facts, onShow],
  );
  return (
    <DataTable
      {...props}
      label={say("list")}
      columns={columns}
      getId={webhook => webhook.id}
      initialSort={{ id: "name", desc: false }}
    />
  );
}

function RowMenu({ webhook, onShow }: { webhook: Webhook; onShow: (open: Open) => void }) {
  const say = useWords(words);
  const { test, pause } = useActions(webhook);
  return (
    <Menu
      label={say("moreFor", { name: webhook.name })}
      entries={[
        { label: say("test"), onSelect: test },
        { label: say("edit"), onSelect: () => onShow({ what: "edit", webhook }) },
        { label: say(webhook.enabled ? "pause" : "resume"), onSelect: pause },
        { label: say("newSecret"), onSelect: () => onShow({ what: "secret", webhook }) },
        "line",
        { label: say("remove"), tone: "bad", onSelect: () => onShow({ what: "remove", webhook }) },
      ]}
    />
  );
}
