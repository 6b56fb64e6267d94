import { useState } from "react";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Open, OpenDialog } from "./open-dialog.tsx";
import { PanelHealth } from "./panel-health.tsx";
import { PanelKeys } from "./panel-keys.tsx";
import { PanelModels } from "./panel-models.tsx";
import { PanelOverview } from "./panel-overview.tsx";
import { panelWords } from "./panel-words.ts";
import { usePause } from "./upstream-cells.tsx";
import type { Upstream } from "./upstream-reads.ts";
import { useUpstreamsSearch } from "./use-upstreams-search.ts";

/** One upstream, beside the list. Its dialogs stand within it, so that Esc closes the one on top alone. */
export function UpstreamPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const say = useWords(panelWords);
  const listed = useApi("GET /operator/upstreams");
  const [open, setOpen] = useState<Open | null>(null);
  const all = listed.data?.upstreams;
  const one = all?.find(other => other.id === id);
  return (
    <SidePanel
      open
      wide
      onClose={onClose}
      title={<bdi className="break-words">{one?.name ?? say("upstream")}</bdi>}
      description={<CodeValue value={id} what={say("upstreamId")} />}
      {...(one === undefined || all === undefined
        ? {}
        : { footer: <Actions one={one} all={all} onShow={setOpen} /> })}
    >
      {one !== undefined ? (
        <Parts one={one} onShow={setOpen} />
      ) : all !== undefined ? (
        <EmptyState title={say("missing")}>{say("missingText")}</EmptyState>
      ) : listed.error !== null ? (
        <ErrorState error={listed.error} onRetry={() => void listed.refetch()} />
      ) : (
        <div className="grid gap-3">
          <Skeleton className="h-8 w-56" />
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
      {open === null ? null : <OpenDialog open={open} onClose={() => setOpen(null)} onGone={onClose} />}
    </SidePanel>
  );
}

type PartProps = { one: Upstream; onShow: (open: Open) => void };

function Parts({ one, onShow }: PartProps) {
  const say = useWords(panelWords);
  const { search, change } = useUpstreamsSearch();
  return (
    <Tabs
      label={say("parts")}
      value={search.part ?? "overview"}
      onChange={part => change({ part: part === "overview" ? undefined : part })}
      tabs={[
        { value: "overview", label: say("overview"), content: <PanelOverview one={one} onShow={onShow} /> },
        { value: "models", label: say("models"), content: <PanelModels one={one} onShow={onShow} /> },
        { value: "keys", label: say("keys"), content: <PanelKeys one={one} onShow={onShow} /> },
        { value: "health", label: say("health"), content: <PanelHealth one={one} /> },
      ]}
    />
  );
}

function Actions({ one, all, onShow }: PartProps & { all: readonly Upstream[] }) {
  const say = useWords(panelWords);
  const pause = usePause();
  return (
    <>
      <Button size="sm" onClick={() => onShow({ what: "edit", one })}>
        {say("edit")}
      </Button>
      <Button size="sm" busy={pause.isPending} onClick={() => pause.set(one, !one.is_paused)}>
        {say(one.is_paused ? "resume" : "pause")}
      </Button>
      <LinkButton size="sm" tone="ghost" to="/operator/audit" search={{ noun: "upstream", name: one.name }}>
        {say("changes")}
      </LinkButton>
      <Button size="sm" tone="bad" className="ml-auto" onClick={() => onShow({ what: "remove", one, all })}>
        {say("remove")}
      </Button>
    </>
  );
}
