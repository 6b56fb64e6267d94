import { ResetDialog, SignOutDialog, TakeBackDialog } from "./access-dialogs.tsx";
import type { AccountKey, Detail, Person, Subscription } from "./account-reads.ts";
import type { Invitation } from "./invitation-list.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { LimitsDialog } from "./limits-dialog.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import type { Mailed } from "./mail-outcome.tsx";
import { MoneyDialog } from "./money-dialog.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { StateDialog } from "./state-dialog.tsx";
import { SubscribeDialog, UnsubscribeDialog } from "./subscribe-dialog.tsx";

/** Which dialog is open, and about whom. */
export type Open =
  | { what: "invite" }
  | { what: "reset"; person: Person }
  | { what: "take-back"; invitation: Invitation }
  | {
      what: "link";
      kind: "invitation" | "reset";
      email: string;
      link: string;
      until: string;
      mail: Mailed | null;
    }
  | { what: "money"; people: readonly Person[] }
  | { what: "state"; people: readonly Person[]; enabled: boolean }
  | { what: "subscribe"; people: readonly Person[]; moved?: Subscription }
  | { what: "unsubscribe"; person: Person; subscription: Subscription }
  | { what: "role"; person: Person }
  | { what: "limits"; detail: Detail }
  | { what: "sign-out"; detail: Detail }
  | { what: "key"; person: Person; accountKey: AccountKey; change: "disable" | "enable" | "delete" };

type Props = { open: Open; onOpen: (open: Open) => void; onClose: () => void };

export function OpenDialog({ open, onOpen, onClose }: Props) {
  switch (open.what) {
    case "invite":
      return <InviteDialog onOpen={onOpen} onClose={onClose} />;
    case "reset":
      return <ResetDialog person={open.person} onOpen={onOpen} onClose={onClose} />;
    case "take-back":
      return <TakeBackDialog invitation={open.invitation} onClose={onClose} />;
    case "link":
      return <LinkDialog {...open} onClose={onClose} />;
    case "money":
      return <MoneyDialog people={open.people} onClose={onClose} />;
    case "state":
      return <StateDialog people={open.people} enabled={open.enabled} onClose={onClose} />;
    case "subscribe":
      return <SubscribeDialog people={open.people} moved={open.moved ?? null} onClose={onClose} />;
    case "unsubscribe":
      return <UnsubscribeDialog {...open} onClose={onClose} />;
    case "role":
      return <RoleDialog person={open.person} onClose={onClose} />;
    case "limits":
      return <LimitsDialog detail={open.detail} onClose={onClose} />;
    case "sign-out":
      return <SignOutDialog detail={open.detail} onClose={onClose} />;
    case "key":
      return <KeyDialog {...open} onClose={onClose} />;
  }
}
