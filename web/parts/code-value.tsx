import { CopyButton } from "./copy-button.tsx";

/** A value to enter somewhere as it is, with copy beside it. */
export function CodeValue({ value, what }: { value: string; what?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="min-w-0 break-all">{value}</code>
      <CopyButton text={value} iconOnly {...(what === undefined ? {} : { what })} />
    </span>
  );
}
