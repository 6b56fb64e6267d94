import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useApi, useCall } from "../../api/query.ts";
import { useSignOut } from "../../app/sign-out.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Pill } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "./server-sentences.ts";
import { sessionsWords } from "./sessions-words.ts";

const ConfirmDialog = lazy(async () => ({
  default: (await import("../../parts/confirm-dialog.tsx")).ConfirmDialog,
}));

type Session = Answer<"GET /sessions">["sessions"][number];

function useEnding() {
  const say = useWords(sessionsWords);
  const tell = useSentence();
  const queries = useQueryClient();
  const signOutHere = useSignOut();
  const end = useCall("DELETE /sessions/{id}");
  const { mutateAsync } = end;
  const [ending, setEnding] = useState<string | null>(null);
  const signOut = useCallback(
    async (session: Session) => {
      if (session.is_this) return await signOutHere();
      setEnding(session.id);
      try {
        await mutateAsync({ params: { id: session.id } });
        toast(say("signedOut", { agent: session.agent }));
      } catch (error) {
        toast(say("failed", { text: tell(error) }), { tone: "bad" });
      }
      await queries.invalidateQueries({ queryKey: ["GET /sessions"] });
      setEnding(null);
    },
    [mutateAsync, signOutHere, queries, say, tell],
  );
  return { ending, signOut };
}

function useColumns(ending: string | null, signOut: (session: Session) => Promise<void>): Column<Session>[] {
  const say = useWords(sessionsWords);
  return useMemo(
    () => [
      {
        id: "place",
        header: say("place"),
        card: "title",
        cell: session => (
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{session.agent === "" ? say("unknown") : session.agent}</span>
            {session.is_this ? <Pill tone="ok">{say("here")}</Pill> : null}
          </span>
        ),
      },
      { id: "address", header: say("address"), cell: session => <code>{session.address}</code> },
      {
        id: "signed-in",
        header: say("signedIn"),
        cell: session => <ExactTime at={session.signed_in_at} />,
      },
      {
        id: "seen",
        header: say("seen"),
        cell: session => (session.is_this ? say("now") : <RelativeTime at={session.seen_at} />),
      },
      {
        id: "actions",
        header: say("actions"),
        hideHeader: true,
        align: "right",
        card: "foot",
        cell: session => (
          <Button
            size="sm"
            busy={ending === session.id}
            aria-label={say("signOutOf", { agent: session.agent, address: session.address })}
            onClick={() => void signOut(session)}
          >
            {say("signOut")}
          </Button>
        ),
      },
    ],
    [say, ending, signOut],
  );
}

/** Every place where the account is signed in; this one is marked and comes first. */
export function SessionsTab() {
  const say = useWords(sessionsWords);
  const sessions = useApi("GET /sessions");
  const { ending, signOut } = useEnding();
  const columns = useColumns(ending, signOut);
  const [isAsking, setAsking] = useState(false);
  const rows = useMemo(
    () => sessions.data?.sessions.toSorted((a, b) => Number(b.is_this) - Number(a.is_this)),
    [sessions.data],
  );
  return (
    <Panel
      title={say("title")}
      description={say("description")}
      flush
      actions={
        rows === undefined || rows.length < 2 ? undefined : (
          <Button tone="bad" onClick={() => setAsking(true)}>
            {say("signOutOthers")}
          </Button>
        )
      }
    >
      <DataTable
        label={say("list")}
        columns={columns}
        rows={rows}
        getId={session => session.id}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        skeletonRows={3}
        empty={null}
      />
      {isAsking ? (
        <Suspense fallback={null}>
          <EndOthers onClose={() => setAsking(false)} />
        </Suspense>
      ) : null}
    </Panel>
  );
}

function EndOthers({ onClose }: { onClose: () => void }) {
  const say = useWords(sessionsWords);
  const tell = useSentence();
  const end = useCall("DELETE /sessions", {
    refresh: ["GET /sessions"],
    onDone: () => {
      toast(say("othersDone"));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.mutate({})}
      title={say("othersTitle")}
      action={say("signOutOthers")}
      busy={end.isPending}
      error={end.error === null ? undefined : tell(end.error)}
    >
      <p>{say("othersText")}</p>
    </ConfirmDialog>
  );
}
