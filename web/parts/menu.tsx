import { Ellipsis } from "lucide-react";
import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useRef, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { iconButtonClass } from "./icon-button.tsx";
import { partWords } from "./part-words.ts";

export type MenuEntry =
  | "line"
  | {
      label: string;
      onSelect: () => void;
      icon?: ReactNode;
      tone?: "bad";
      disabled?: boolean;
      /** Chosen now, among others like it. */
      checked?: boolean;
    };

type Props = {
  entries: readonly MenuEntry[];
  /** What the three dots are for, such as “More for laptop”. */
  label?: string;
  /** Another button than the three dots. */
  trigger?: ReactElement<TriggerProps>;
  align?: "start" | "end";
  side?: "top" | "bottom";
};

type TriggerProps = {
  ref?: React.Ref<HTMLButtonElement>;
  onClick?: () => void;
  onPointerDown?: () => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
  onKeyDown?: (event: React.KeyboardEvent) => void;
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
  "data-popup-open"?: "" | undefined;
};

const load = () => import("./menu-popup.tsx");
const Popup = lazy(async () => ({ default: (await load()).MenuPopup }));

/** A button that opens a list of things to do. The list is fetched when somebody comes near it. */
export function Menu({ entries, label, trigger, align = "end", side = "bottom" }: Props) {
  const say = useWords(partWords);
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  const button: ReactElement<TriggerProps> = trigger ?? (
    <button type="button" aria-label={label ?? say("more")} className={iconButtonClass}>
      <Ellipsis size={17} aria-hidden />
    </button>
  );
  const near = () => void load();
  return (
    <>
      {cloneElement(button, {
        ref: anchor,
        onPointerEnter: near,
        onFocus: near,
        // A press beside the list closes it, and the button is beside it: this press must not open it again.
        onPointerDown: () => {
          wasOpen.current = open;
        },
        onClick: () => {
          setOpen(!wasOpen.current);
          wasOpen.current = false;
        },
        onKeyDown: event => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(true);
        },
        "aria-haspopup": "menu",
        "aria-expanded": open,
        "data-popup-open": open ? "" : undefined,
      })}
      {open ? (
        <Suspense fallback={null}>
          <Popup entries={entries} anchor={anchor} align={align} side={side} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
