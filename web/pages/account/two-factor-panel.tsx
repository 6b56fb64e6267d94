import { lazy, Suspense, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Pill } from "../../parts/pill.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS, type Account, isWorthTelling } from "./account.ts";
import { securityWords } from "./security-words.ts";
import { useSentence } from "./server-sentences.ts";

const SetUpDialog = lazy(async () => ({
  default: (await import("./two-factor-dialog.tsx")).TwoFactorDialog,
}));
const CodesDialog = lazy(async () => ({
  default: (await import("./recovery-codes-dialog.tsx")).RecoveryCodesDialog,
}));
const ConfirmDialog = lazy(async () => ({
  default: (await import("../../parts/confirm-dialog.tsx")).ConfirmDialog,
}));

export type TotpSetUp = Answer<"POST /account/totp">;
type Open =
  | { what: "set-up"; setUp: TotpSetUp }
  | { what: "codes"; codes: readonly string[] }
  | { what: "new-codes" | "turn-off" };

export function TwoFactorPanel({ account }: { account: Account }) {
  const say = useWords(securityWords);
  const tell = useSentence();
  const [open, setOpen] = useState<Open | null>(null);
  const begin = useCall("POST /account/totp", {
    onDone: setUp => setOpen({ what: "set-up", setUp }),
  });
  const { is_on: isOn, recovery_codes_left: left } = account.totp;
  return (
    <Panel
      title={
        <span className="flex items-center gap-2">
          {say("twoFactorTitle")}
          <Pill tone={isOn ? "ok" : "quiet"}>{say(isOn ? "on" : "off")}</Pill>
        </span>
      }
      description={say("twoFactorText")}
      flush={!isOn && !isWorthTelling(begin.error)}
      className={isOn ? "" : "pb-1.5"}
      actions={
        isOn ? (
          <>
            <Button onClick={() => setOpen({ what: "new-codes" })}>{say("newCodes")}</Button>
            <Button tone="bad" onClick={() => setOpen({ what: "turn-off" })}>
              {say("turnOff")}
            </Button>
          </>
        ) : (
          <Button busy={begin.isPending} onClick={() => begin.mutate({})}>
            {say("setUp")}
          </Button>
        )
      }
    >
      {isOn ? (
        left === 0 ? (
          <Banner tone="warn">{say("codesNone")}</Banner>
        ) : (
          <p className="text-ink-2 text-sm">{say("codesLeft", { count: left })}</p>
        )
      ) : isWorthTelling(begin.error) ? (
        <Banner tone="bad">{tell(begin.error)}</Banner>
      ) : null}
      {open === null ? null : (
        <Suspense fallback={null}>
          <Opened open={open} onOpen={setOpen} email={account.email} />
        </Suspense>
      )}
    </Panel>
  );
}

type OpenedProps = { open: Open; onOpen: (open: Open | null) => void; email: string };

function Opened({ open, onOpen, email }: OpenedProps) {
  const say = useWords(securityWords);
  const tell = useSentence();
  const close = () => onOpen(null);
  const showCodes = ({ recovery_codes: codes }: { recovery_codes: readonly string[] }) =>
    onOpen({ what: "codes", codes });
  const renew = useCall("POST /account/totp/recovery-codes", { refresh: ACCOUNT_PARTS, onDone: showCodes });
  const end = useCall("DELETE /account/totp", {
    refresh: ACCOUNT_PARTS,
    onDone: () => {
      toast(say("turnedOff"));
      close();
    },
  });
  const told = (error: unknown) => (isWorthTelling(error) ? tell(error) : undefined);
  switch (open.what) {
    case "set-up":
      return <SetUpDialog setUp={open.setUp} onClose={close} onDone={showCodes} />;
    case "codes":
      return <CodesDialog codes={open.codes} email={email} onClose={close} />;
    case "new-codes":
      return (
        <ConfirmDialog
          open
          onClose={close}
          onConfirm={() => renew.mutate({})}
          title={say("newCodesTitle")}
          action={say("newCodes")}
          busy={renew.isPending}
          error={told(renew.error)}
          harmless
        >
          <p>{say("newCodesText")}</p>
        </ConfirmDialog>
      );
    case "turn-off":
      return (
        <ConfirmDialog
          open
          onClose={close}
          onConfirm={() => end.mutate({})}
          title={say("turnOffTitle")}
          action={say("turnOff")}
          busy={end.isPending}
          error={told(end.error)}
        >
          <p>{say("turnOffText")}</p>
        </ConfirmDialog>
      );
  }
}
