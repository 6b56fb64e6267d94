import { Fingerprint } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useCall } from "../../api/query.ts";
import { canPasskey } from "../../browser/passkey.ts";
import { now } from "../../format/clock.ts";
import { formatRelative } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { textLinkClass } from "../../parts/text-link.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS, type Account, isWorthTelling } from "./account.ts";
import { nameAddress, passkeyPlace } from "./passkey-place.ts";
import { securityWords } from "./security-words.ts";
import { useSentence } from "./server-sentences.ts";

const AddDialog = lazy(async () => ({ default: (await import("./passkey-dialog.tsx")).PasskeyDialog }));
const ConfirmDialog = lazy(async () => ({
  default: (await import("../../parts/confirm-dialog.tsx")).ConfirmDialog,
}));

type Passkey = Account["passkeys"][number];
type Open = { what: "add" } | { what: "remove"; passkey: Passkey };

export function PasskeysPanel({ account, isOn }: { account: Account; isOn: boolean }) {
  const say = useWords(securityWords);
  const [open, setOpen] = useState<Open | null>(null);
  const place = isOn ? passkeyPlace({ hostname: location.hostname, isAble: canPasskey() }) : "off";
  const close = () => setOpen(null);
  return (
    <Panel
      title={say("passkeysTitle")}
      description={say("passkeysText")}
      flush
      actions={
        place === "good" ? (
          <Button onClick={() => setOpen({ what: "add" })}>{say("passkeyAdd")}</Button>
        ) : undefined
      }
    >
      {place === "good" ? null : (
        <div className="px-4 pb-4">
          <Banner tone="quiet">
            {place === "address" ? <AtAddress /> : say(place === "off" ? "passkeysOff" : "passkeyUnable")}
          </Banner>
        </div>
      )}
      {account.passkeys.length === 0 ? (
        <p className="px-4 pb-4 text-ink-3 text-sm">{say("passkeysNone")}</p>
      ) : (
        <ul>
          {account.passkeys.map(passkey => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              onRemove={() => setOpen({ what: "remove", passkey })}
            />
          ))}
        </ul>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          {open.what === "add" ? (
            <AddDialog onClose={close} />
          ) : (
            <RemoveDialog passkey={open.passkey} onClose={close} />
          )}
        </Suspense>
      )}
    </Panel>
  );
}

function AtAddress() {
  const say = useWords(securityWords);
  const named = nameAddress(location.href);
  return (
    <>
      {say("passkeyAddress")}{" "}
      {named === null ? null : (
        <a href={named} className={textLinkClass}>
          {say("passkeyOpenAs", { address: new URL(named).host })}
        </a>
      )}
    </>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const say = useWords(securityWords);
  const ago = (at: string) => formatRelative(at, now(), say.language);
  const used = passkey.last_used_at;
  return (
    <li className="flex items-center gap-3 border-line border-t px-4 py-2.5">
      <Fingerprint size={18} className="shrink-0 text-ink-3" aria-hidden />
      <div className="min-w-0 flex-1">
        <p dir="auto" className="truncate font-medium" title={passkey.name}>
          {passkey.name}
        </p>
        <p className="text-ink-3 text-xs">
          {say("passkeyMade", { when: ago(passkey.created_at) })}
          {" · "}
          {used === null ? say("passkeyUnused") : say("passkeyUsed", { when: ago(used) })}
        </p>
      </div>
      <Button
        size="sm"
        tone="bad"
        aria-label={say("passkeyRemoveOf", { name: passkey.name })}
        onClick={onRemove}
      >
        {say("passkeyRemove")}
      </Button>
    </li>
  );
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const say = useWords(securityWords);
  const tell = useSentence();
  const remove = useCall("DELETE /account/passkeys/{id}", {
    refresh: ACCOUNT_PARTS,
    onDone: () => {
      toast(say("passkeyRemoved", { name: passkey.name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: passkey.id } })}
      title={<span dir="auto">{say("passkeyRemoveTitle", { name: passkey.name })}</span>}
      action={say("passkeyRemove")}
      busy={remove.isPending}
      error={isWorthTelling(remove.error) ? tell(remove.error) : undefined}
    >
      <p>{say("passkeyRemoveText")}</p>
    </ConfirmDialog>
  );
}
