import { EndDialog } from "./end-dialog.tsx";
import { GiveDialog } from "./give-dialog.tsx";
import { PlanForm } from "./plan-form.tsx";
import type { Holder, Plan } from "./plan-reads.ts";
import { RemoveDialog } from "./remove-dialog.tsx";

/** Which dialog is open, and about what. */
export type Open =
  | { what: "form"; plan: Plan | null }
  | { what: "give"; plan: Plan; holder?: Holder }
  | { what: "end"; plan: Plan; holder: Holder }
  | { what: "remove"; plan: Plan };

type Props = { open: Open; onClose: () => void; onRemoved: () => void };

export function OpenDialog({ open, onClose, onRemoved }: Props) {
  switch (open.what) {
    case "form":
      return <PlanForm plan={open.plan} onClose={onClose} />;
    case "give":
      return <GiveDialog plan={open.plan} holder={open.holder ?? null} onClose={onClose} />;
    case "end":
      return <EndDialog plan={open.plan} holder={open.holder} onClose={onClose} />;
    case "remove":
      return <RemoveDialog plan={open.plan} onClose={onClose} onRemoved={onRemoved} />;
  }
}
