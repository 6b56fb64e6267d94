import { type ReactNode, useEffect, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { Field } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { partWords } from "./part-words.ts";
import { TextInput } from "./text-input.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  title: ReactNode;
  /** What stops, what is lost. */
  children: ReactNode;
  action: string;
  /** Where it cannot be taken back: has to be typed first. */
  typeName?: string;
  busy?: boolean;
  error?: ReactNode;
  harmless?: boolean;
};

export function ConfirmDialog({ open, typeName, children, harmless, ...props }: Props) {
  const [typed, setTyped] = useState("");
  const say = useWords(partWords);
  useEffect(() => {
    if (open) setTyped("");
  }, [open]);
  const isTyped = typeName === undefined || typed.trim() === typeName.trim();
  return (
    <FormDialog
      open={open}
      onClose={props.onClose}
      onSubmit={props.onConfirm}
      title={props.title}
      action={props.action}
      size="sm"
      tone={harmless ? "primary" : "bad-solid"}
      disabled={!isTyped}
      busy={props.busy ?? false}
      error={props.error}
    >
      <div className="grid gap-2 text-ink-2">{children}</div>
      {typeName === undefined ? null : (
        <Field label={<span>{say.rich("typeToConfirm", { name: <b key="name">{typeName}</b> })}</span>}>
          <TextInput value={typed} onChange={setTyped} autoComplete="off" spellCheck={false} />
        </Field>
      )}
    </FormDialog>
  );
}
