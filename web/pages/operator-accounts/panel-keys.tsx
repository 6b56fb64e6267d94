import { KeyRound } from "lucide-react";
import { useApi } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Menu, type MenuEntry } from "../../parts/menu.tsx";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { AccountKey, Person } from "./account-reads.ts";
import type { Open } from "./open-dialog.tsx";
import { panelWords } from "./panel-words.ts";

type Props = { person: Person; onShow: (open: Open) => void };

const TONES: Record<AccountKey["state"], PillTone> = {
  active: "ok",
  disabled: "quiet",
  expired: "warn",
  deleted: "bad",
};

export function PanelKeys({ person, onShow }: Props) {
  const say = useWords(panelWords);
  const { data, error, refetch } = useApi("GET /operator/accounts/{id}/keys", { params: { id: person.id } });
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-40 w-full" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  if (data.keys.length === 0) {
    return (
      <EmptyState icon={<KeyRound size={20} aria-hidden />} title={say("noKeys")}>
        {say("noKeysText")}
      </EmptyState>
    );
  }
  return (
    <ul className="rounded-lg border border-line">
      {data.keys.map(one => (
        <Row key={one.id} row={one} person={person} onShow={onShow} />
      ))}
    </ul>
  );
}

function Row({ row, person, onShow }: Props & { row: AccountKey }) {
  const say = useWords(panelWords);
  const ask = (change: "disable" | "enable" | "delete") => () =>
    onShow({ what: "key", person, accountKey: row, change });
  const entries: MenuEntry[] = [
    ...(row.state === "disabled" ? [{ label: say("enable"), onSelect: ask("enable") }] : []),
    ...(row.state === "active" ? [{ label: say("disable"), onSelect: ask("disable") }] : []),
    { label: say("delete"), tone: "bad", onSelect: ask("delete") },
  ];
  return (
    <li className="flex items-center gap-3 border-line border-b px-3.5 py-2.5 last:border-0">
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span dir="auto" className="min-w-0 break-words font-medium">
            {row.name}
          </span>
          <Pill tone={TONES[row.state]}>{say(row.state)}</Pill>
        </span>
        <span className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
          <code>{row.preview}</code>
          <span dir="auto">{row.group.name}</span>
          <span className="tabular-nums">
            {row.quota_usd === null
              ? say("spentOnly", { spent: formatMoney(row.spent_usd, say.language) })
              : say("spentOf", {
                  spent: formatMoney(row.spent_usd, say.language),
                  quota: formatMoney(row.quota_usd, say.language, 2),
                })}
          </span>
          <span>
            {row.last_used === null ? (
              say("neverUsed")
            ) : (
              <>
                <RelativeTime at={row.last_used.at} />
                {` · ${row.last_used.tool} · ${row.last_used.address}`}
              </>
            )}
          </span>
        </span>
      </div>
      {row.state === "deleted" ? null : <Menu label={say("moreFor", { name: row.name })} entries={entries} />}
    </li>
  );
}
