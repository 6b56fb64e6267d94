import { Menu as Base } from "@base-ui/react/menu";
import type { RefObject } from "react";
import { classNames } from "./class-names.ts";
import type { MenuEntry } from "./menu.tsx";

type Props = {
  entries: readonly MenuEntry[];
  anchor: RefObject<HTMLButtonElement | null>;
  align: "start" | "end";
  side: "top" | "bottom";
  onClose: () => void;
};

const itemClass =
  "flex cursor-default select-none items-center gap-2.5 rounded-sm px-2.5 py-[7px] outline-none data-disabled:opacity-50 phone:py-2.5 [&>svg]:shrink-0";

export function MenuPopup({ entries, anchor, align, side, onClose }: Props) {
  return (
    <Base.Root open onOpenChange={next => !next && onClose()}>
      <Base.Portal>
        <Base.Positioner
          anchor={anchor}
          sideOffset={5}
          align={align}
          side={side}
          className="z-50 outline-none"
        >
          <Base.Popup
            finalFocus={anchor}
            className="floating max-h-(--available-height) min-w-44 max-w-[92vw] overflow-y-auto p-1"
          >
            {entries.map((entry, at) =>
              entry === "line" ? (
                <Base.Separator key={`line-${String(at)}`} className="mx-1 my-1 h-px bg-line" />
              ) : (
                <Base.Item
                  key={entry.label}
                  disabled={entry.disabled ?? false}
                  onClick={entry.onSelect}
                  className={classNames(
                    itemClass,
                    entry.tone === "bad"
                      ? "text-bad data-highlighted:bg-bad-soft"
                      : "data-highlighted:bg-hover",
                    entry.checked && "font-medium text-accent",
                  )}
                >
                  {entry.icon}
                  {entry.label}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
