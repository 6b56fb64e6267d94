import { Fragment, type ReactNode, useMemo } from "react";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Pill } from "../../parts/pill.tsx";
import { readSort, writeSort } from "../../parts/sort-text.ts";
import { ACTIONS } from "../../parts/table-column.ts";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Group } from "./group-reads.ts";
import type { Asked } from "./state-dialogs.tsx";
import { useGroupsSearch } from "./use-groups-search.ts";
import { words } from "./words.ts";

type Props = {
  rows: readonly Group[] | undefined;
  error: unknown;
  onRetry: () => void;
  onAsk: (asked: Asked) => void;
  empty: ReactNode;
};

function useFacts(): Column<Group>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      {
        id: "name",
        header: say("name"),
        card: "title",
        sort: group => group.name,
        cell: group => <NameCell group={group} />,
      },
      {
        id: "state",
        header: say("state"),
        sort: group => (group.enabled ? 0 : 1),
        cell: group => (
          <Pill tone={group.enabled ? "ok" : "quiet"}>{say(group.enabled ? "enabled" : "disabled")}</Pill>
        ),
      },
      {
        id: "multiplier",
        header: say("multiplier"),
        sort: group => Number(group.multiplier),
        cell: group => <Tag>{`×${group.multiplier}`}</Tag>,
      },
      {
        id: "models",
        header: say("models"),
        descFirst: true,
        sort: group => group.matches.length,
        cell: group => <ModelsCell group={group} />,
      },
      { id: "billing", header: say("billing"), cell: group => say(group.billing) },
      {
        id: "access",
        header: say("access"),
        cell: ({ accounts }) =>
          accounts === null
            ? say("everybody")
            : accounts.length === 0
              ? say("nobody")
              : say("chosen", { count: accounts.length }),
      },
      {
        id: "keys",
        header: say("keys"),
        align: "right",
        descFirst: true,
        sort: group => group.keys,
        cell: group => <span className="tabular-nums">{group.keys}</span>,
      },
    ],
    [say],
  );
}

function useColumns(onEdit: (group: Group) => void, onAsk: Props["onAsk"]): Column<Group>[] {
  const say = useWords(words);
  const facts = useFacts();
  return useMemo(
    () => [
      ...facts,
      {
        ...ACTIONS,
        header: say("actions"),
        cell: group => (
          <Menu
            label={say("moreFor", { name: group.name })}
            entries={[
              { label: say("edit"), onSelect: () => onEdit(group) },
              {
                label: say(group.enabled ? "disable" : "enable"),
                onSelect: () => onAsk({ what: group.enabled ? "disable" : "enable", group }),
              },
              "line",
              { label: say("remove"), tone: "bad", onSelect: () => onAsk({ what: "remove", group }) },
            ]}
          />
        ),
      },
    ],
    [say, facts, onEdit, onAsk],
  );
}

export function GroupList({ rows, error, onRetry, onAsk, empty }: Props) {
  const say = useWords(words);
  const { search, change } = useGroupsSearch();
  const onEdit = useMemo(
    () => (group: Group) => change({ group: group.id, show: undefined }, true),
    [change],
  );
  const columns = useColumns(onEdit, onAsk);
  return (
    <DataTable
      label={say("list")}
      columns={columns}
      rows={rows}
      getId={group => group.id}
      onOpen={onEdit}
      openId={search.group ?? null}
      error={error}
      onRetry={onRetry}
      empty={empty}
      initialSort={readSort(search.sort)}
      onSort={sorting => change({ sort: writeSort(sorting) })}
    />
  );
}

function NameCell({ group }: { group: Group }) {
  return (
    <span className="grid max-w-80">
      <span dir="auto" className="font-medium">
        {group.name}
      </span>
      {group.description === "" ? null : (
        <small dir="auto" className="line-clamp-2 text-ink-3 text-xs">
          {group.description}
        </small>
      )}
    </span>
  );
}

/** How many it has now, and by which words. */
function ModelsCell({ group }: { group: Group }) {
  const say = useWords(words);
  const patterns = group.models.join(", ");
  return (
    <span className="grid min-w-0 max-w-72 grid-cols-[minmax(0,1fr)]">
      <span className={group.matches.length === 0 ? "text-bad" : ""}>
        {say("modelCount", { count: group.matches.length })}
      </span>
      <small className="truncate font-mono text-ink-3 text-xs phone:whitespace-normal" title={patterns}>
        {group.models.map((pattern, at) => (
          <Fragment key={pattern}>
            {at === 0 ? null : ", "}
            <span className="whitespace-nowrap">{pattern}</span>
          </Fragment>
        ))}
      </small>
    </span>
  );
}
