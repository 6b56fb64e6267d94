import { EditDialog } from "./edit-dialog.tsx";
import { AddKeyDialog, RemoveKeyDialog } from "./key-dialogs.tsx";
import { ModelsDialog } from "./models-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { TestDialog } from "./test-dialog.tsx";
import type { Credential, Upstream } from "./upstream-reads.ts";

/** Which dialog is open, and about which upstream. */
export type Open =
  | { what: "edit"; one: Upstream }
  | { what: "models"; one: Upstream }
  | { what: "test"; one: Upstream }
  | { what: "add-key"; one: Upstream }
  | { what: "remove-key"; one: Upstream; credential: Credential }
  | { what: "remove"; one: Upstream; all: readonly Upstream[] };

type Props = {
  open: Open;
  onClose: () => void;
  /** The upstream is no more. */
  onGone?: () => void;
};

export function OpenDialog({ open, onClose, onGone }: Props) {
  switch (open.what) {
    case "edit":
      return <EditDialog one={open.one} onClose={onClose} />;
    case "models":
      return <ModelsDialog one={open.one} onClose={onClose} />;
    case "test":
      return <TestDialog one={open.one} onClose={onClose} />;
    case "add-key":
      return <AddKeyDialog one={open.one} onClose={onClose} />;
    case "remove-key":
      return <RemoveKeyDialog one={open.one} credential={open.credential} onClose={onClose} />;
    case "remove":
      return (
        <RemoveDialog
          one={open.one}
          all={open.all}
          onClose={onClose}
          {...(onGone === undefined ? {} : { onGone })}
        />
      );
  }
}
