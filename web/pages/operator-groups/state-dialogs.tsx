import { useEffect } from "react";
import { newest } from "../../api/newest.ts";
import { useApi, useCall } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { RemovalDialog } from "../../parts/removal-dialog.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { GROUP_READS, type Group } from "./group-reads.ts";
import { words } from "./words.ts";

export type Asked = { what: "enable" | "disable" | "remove"; group: Group };

type Props = { asked: Asked; onAsk: (asked: Asked) => void; onClose: () => void };

export function StateDialogs({ asked, onAsk, onClose }: Props) {
  const group = newest(useApi("GET /operator/groups").data?.groups, asked.group);
  switch (asked.what) {
    case "enable":
      return <Enable group={group} onClose={onClose} />;
    case "disable":
      return <Disable group={group} onClose={onClose} />;
    case "remove":
      return <Remove group={group} onAsk={onAsk} onClose={onClose} />;
  }
}

type One = { group: Group; onClose: () => void };

function useSwitch({ group, onClose }: One, enabled: boolean) {
  const say = useWords(words);
  const patch = useCall("PATCH /operator/groups/{id}", {
    refresh: GROUP_READS,
    onDone: () => {
      toast(say(enabled ? "enabledDone" : "disabledDone", { name: group.name }));
      onClose();
    },
  });
  return { ...patch, run: () => patch.mutate({ params: { id: group.id }, body: { enabled } }) };
}

/** Nothing stops by it, so nothing is asked. */
function Enable({ group, onClose }: One) {
  const tell = useSentence();
  const { mutate, error } = useSwitch({ group, onClose }, true);
  useEffect(() => mutate({ params: { id: group.id }, body: { enabled: true } }), [mutate, group.id]);
  useEffect(() => {
    if (error === null) return;
    toast(tell(error), { tone: "bad" });
    onClose();
  }, [error, tell, onClose]);
  return null;
}

/** What stops, in one sentence. */
export function useStops({ keys, holders }: Group): string {
  const say = useWords(words);
  if (keys === 0) return say("stopsNone");
  return say("stops", { count: keys, holders: say("chosen", { count: holders }) });
}

function Disable({ group, onClose }: One) {
  const say = useWords(words);
  const tell = useSentence();
  const stops = useStops(group);
  const { run, isPending, error } = useSwitch({ group, onClose }, false);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={run}
      title={say("disableTitle", { name: group.name })}
      action={say("disable")}
      busy={isPending}
      {...(error === null ? {} : { error: tell(error) })}
    >
      <p>{say("disableText")}</p>
      <p className="text-ink">{stops}</p>
    </ConfirmDialog>
  );
}

function Remove({ group, onAsk, onClose }: One & { onAsk: (asked: Asked) => void }) {
  const say = useWords(words);
  const tell = useSentence();
  const plans = useApi("GET /operator/plans");
  const remove = useCall("DELETE /operator/groups/{id}", {
    refresh: GROUP_READS,
    onDone: () => {
      toast(say("removed", { name: group.name }));
      onClose();
    },
  });
  const naming = (plans.data?.plans ?? []).filter(({ groups }) => groups.includes(group.name));
  const holders = say("chosen", { count: group.holders });
  const isFree = group.keys === 0 && naming.length === 0 && !plans.isPending;
  const obstacle = (
    <>
      {plans.isPending ? <Skeleton className="h-10 w-full" /> : null}
      {group.keys > 0 ? <p>{say("removeKeys", { count: group.keys, holders })}</p> : null}
      {naming.length > 0 ? (
        <p>{say("removePlans", { plans: naming.map(({ name }) => name).join(", ") })}</p>
      ) : null}
    </>
  );
  return (
    <RemovalDialog
      title={say("removeTitle", { name: group.name })}
      obstacle={isFree ? null : obstacle}
      instead={
        group.enabled && group.keys > 0 ? (
          <Button tone="bad" onClick={() => onAsk({ what: "disable", group })}>
            {say("removeInstead")}
          </Button>
        ) : null
      }
      action={say("remove")}
      onConfirm={() => remove.mutate({ params: { id: group.id } })}
      busy={remove.isPending}
      error={remove.error === null ? null : tell(remove.error)}
      onClose={onClose}
    >
      <p>{say("removeText")}</p>
    </RemovalDialog>
  );
}
