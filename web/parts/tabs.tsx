import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type Tab<V extends string> = { value: V; label: ReactNode; content?: ReactNode };

type Props<V extends string> = {
  value: V;
  onChange: (value: V) => void;
  tabs: readonly Tab<V>[];
  label: string;
  /** Underlined for parts of a page, `pills` for a small choice. */
  look?: "line" | "pills";
  className?: string;
};

const tabClass = {
  line: "-mb-px shrink-0 whitespace-nowrap border-transparent border-b-2 px-0.5 py-2 text-ink-2 hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink",
  pills:
    "shrink-0 whitespace-nowrap rounded-sm px-2.5 py-1 text-ink-2 text-sm hover:text-ink data-active:bg-panel data-active:font-medium data-active:text-ink data-active:shadow-[0_0_0_1px_var(--line-strong)]",
};

const listClass = {
  line: "flex gap-5 overflow-x-auto border-line border-b",
  pills:
    "flex w-fit max-w-full gap-0.5 overflow-x-auto rounded-md bg-sunken p-0.5 shadow-[inset_0_0_0_1px_var(--line)]",
};

export function Tabs<V extends string>({ value, onChange, tabs, label, look = "line", className }: Props<V>) {
  return (
    <Base.Root
      value={value}
      onValueChange={next => onChange(next as V)}
      className={classNames("min-w-0", className)}
    >
      <Base.List aria-label={label} activateOnFocus className={listClass[look]}>
        {tabs.map(tab => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className={classNames(tabClass[look], look === "pills" && "rounded-sm")}
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(tab =>
        tab.content === undefined ? null : (
          <Base.Panel key={tab.value} value={tab.value} className="pt-4 outline-offset-4">
            {tab.content}
          </Base.Panel>
        ),
      )}
    </Base.Root>
  );
}
