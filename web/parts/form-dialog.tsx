import { type ReactNode, useId } from "react";
import { useWords } from "../words/language-provider.tsx";
import { Banner } from "./banner.tsx";
import { Button, type ButtonTone } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { partWords } from "./part-words.ts";

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  /** What the main button says. */
  action: string;
  onSubmit: () => void;
  busy?: boolean;
  disabled?: boolean;
  /** The sentence of what went wrong. */
  error?: ReactNode;
  tone?: ButtonTone;
  size?: "sm" | "md" | "lg" | "xl";
};

/** A dialog that is a form: Enter sends it, a second send waits for the first. */
export function FormDialog({ children, action, onSubmit, busy = false, error, ...props }: Props) {
  const id = useId();
  const say = useWords(partWords);
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      title={props.title}
      {...(props.description === undefined ? {} : { description: props.description })}
      {...(props.size === undefined ? {} : { size: props.size })}
      footer={
        <>
          <Button onClick={props.onClose}>{say("cancel")}</Button>
          <Button
            type="submit"
            form={id}
            tone={props.tone ?? "primary"}
            busy={busy}
            disabled={props.disabled ?? false}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-3.5"
        onSubmit={event => {
          event.preventDefault();
          // A form in a portal still sends its events up the tree of components.
          event.stopPropagation();
          if (!busy && props.disabled !== true) onSubmit();
        }}
      >
        {children}
        {error === undefined || error === null ? null : <Banner tone="bad">{error}</Banner>}
      </form>
    </Dialog>
  );
}
