import { lazy, Suspense, useState } from "react";
import { addressOf } from "../../api/client.ts";
import { useCall } from "../../api/query.ts";
import { useSession } from "../../api/session.ts";
import { askIdentity } from "../../app/identity-gate.ts";
import { now } from "../../format/clock.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Pill } from "../../parts/pill.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS, type Account, isWorthTelling } from "./account.ts";
import { securityWords } from "./security-words.ts";
import { useSentence } from "./server-sentences.ts";

const ConfirmDialog = lazy(async () => ({
  default: (await import("../../parts/confirm-dialog.tsx")).ConfirmDialog,
}));

const BACK_TO = "/account?tab=security";
const MARGIN_MS = 60_000;

/** The house's own sign-in service. Connecting leaves the page and comes back to it. */
export function OidcPanel({ account, service }: { account: Account; service: string }) {
  const say = useWords(securityWords);
  const [isAsking, setAsking] = useState(false);
  const { is_connected: isConnected } = account.oidc;
  const session = useSession().data;
  const connect = async () => {
    const until = session === null || session === undefined ? 0 : Date.parse(session.recent_until);
    // The service is asked only for who has proved lately that it is them.
    if (until < now() + MARGIN_MS && !(await askIdentity())) return;
    location.assign(addressOf("GET /sign-in/oidc", { query: { return: BACK_TO } }));
  };
  return (
    <Panel
      title={
        <span className="flex items-center gap-2">
          {say("oidcTitle", { service })}
          <Pill tone={isConnected ? "ok" : "quiet"}>{say(isConnected ? "connected" : "notConnected")}</Pill>
        </span>
      }
      description={say("oidcText", { service })}
      flush
      className="pb-1.5"
      actions={
        isConnected ? (
          <Button tone="bad" onClick={() => setAsking(true)}>
            {say("disconnect")}
          </Button>
        ) : (
          <Button onClick={() => void connect()}>{say("connect")}</Button>
        )
      }
    >
      {isAsking ? (
        <Suspense fallback={null}>
          <Disconnect service={service} onClose={() => setAsking(false)} />
        </Suspense>
      ) : null}
    </Panel>
  );
}

function Disconnect({ service, onClose }: { service: string; onClose: () => void }) {
  const say = useWords(securityWords);
  const tell = useSentence();
  const end = useCall("DELETE /account/oidc", {
    refresh: ACCOUNT_PARTS,
    onDone: () => {
      toast(say("disconnected", { service }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.mutate({})}
      title={say("disconnectTitle", { service })}
      action={say("disconnect")}
      busy={end.isPending}
      error={isWorthTelling(end.error) ? tell(end.error) : undefined}
    >
      <p>{say("disconnectText")}</p>
    </ConfirmDialog>
  );
}
