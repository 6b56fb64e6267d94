import type { ReactNode } from "react";
import { useWords } from "../words/language-provider.tsx";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Dialog } from "./dialog.tsx";
import { partWords } from "./part-words.ts";

type Props = {
  title: string;
  /** What stands against it: then it is told, and nothing can be confirmed. */
  obstacle: ReactNode | null;
  /** What can be done instead. */
  instead?: ReactNode;
  children: ReactNode;
  action: string;
  onConfirm: () => void;
  busy: boolean;
  error: string | null;
  onClose: () => void;
};

/** Asks before something is removed, or says why it cannot be yet. */
export function RemovalDialog(props: Props) {
  const { title, obstacle, instead, children, action, onConfirm, busy, error, onClose } = props;
  const say = useWords(partWords);
  if (obstacle !== null) {
    const footer = (
      <>
        <Button onClick={onClose}>{say("close")}</Button>
        {instead}
      </>
    );
    return (
      <Dialog open size="sm" onClose={onClose} title={title} footer={footer}>
        <div className="grid gap-2 text-ink-2">{obstacle}</div>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={onConfirm}
      title={title}
      action={action}
      busy={busy}
      {...(error === null ? {} : { error })}
    >
      {children}
    </ConfirmDialog>
  );
}
