import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { formatCount, formatDuration } from "../../format/number.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { rateText } from "./figure-text.ts";
import type { Overview } from "./use-overview.ts";
import { words } from "./words.ts";

type One = Overview["upstreams"][number];

export const STATE_TONES: Record<One["state"], PillTone> = {
  ok: "ok",
  resting: "warn",
  rejected: "bad",
  paused: "quiet",
  unused: "info",
};

function useColumns(): Column<One>[] {
  const say = useWords(words);
  return useMemo(() => {
    const { language } = say;
    const ms = (value: number | null) => (value === null ? say("none") : formatDuration(value, language));
    return [
      {
        id: "name",
        header: say("upstream"),
        card: "title",
        cell: one => <bdi className="break-words font-medium">{one.name}</bdi>,
      },
      {
        id: "state",
        header: say("state"),
        card: "aside",
        cell: one => <Pill tone={STATE_TONES[one.state]}>{say(one.state)}</Pill>,
      },
      {
        id: "success",
        header: say("success"),
        align: "right",
        cell: one => (one.success_rate === null ? say("none") : rateText(one.success_rate, language)),
      },
      { id: "median", header: say("median"), align: "right", cell: one => ms(one.first_byte_ms) },
      { id: "p95", header: say("p95"), align: "right", cell: one => ms(one.first_byte_p95_ms) },
      {
        id: "requests",
        header: say("requests"),
        align: "right",
        cell: one => formatCount(one.requests, language),
      },
    ];
  }, [say]);
}

export function UpstreamHealth({ upstreams }: { upstreams: readonly One[] | undefined }) {
  const say = useWords(words);
  const navigate = useNavigate();
  const columns = useColumns();
  return (
    <Panel
      flush
      className="mb-3.5"
      title={say("upstreams")}
      description={say("upstreamsText")}
      actions={
        <LinkButton size="sm" to="/operator/upstreams">
          {say("upstreamsAll")}
        </LinkButton>
      }
    >
      <DataTable
        label={say("upstreams")}
        columns={columns}
        rows={upstreams}
        getId={one => one.id}
        skeletonRows={3}
        onOpen={one =>
          void navigate({ to: "/operator/upstreams", search: { upstream: one.id, part: "health" } })
        }
        empty={
          <EmptyState
            title={say("upstreamsEmpty")}
            action={
              <LinkButton
                tone="primary"
                icon={<Plus size={16} aria-hidden />}
                to="/operator/upstreams"
                search={{ show: "add" }}
              >
                {say("connect")}
              </LinkButton>
            }
          >
            {say("upstreamsEmptyText")}
          </EmptyState>
        }
      />
    </Panel>
  );
}
