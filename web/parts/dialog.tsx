import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useWords } from "../words/language-provider.tsx";
import { classNames } from "./class-names.ts";
import { iconButtonClass } from "./icon-button.tsx";
import { partWords } from "./part-words.ts";

type Props = {
  open: boolean;
  /** Told when Esc, the cross or a click beside it wants it closed. */
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  /** The buttons, the main one last. */
  footer?: ReactNode;
  size?: "sm" | "md" | "lg" | "xl";
  /** Something would be lost: only its own buttons close it. */
  sticky?: boolean;
};

const SIZES = { sm: "md:w-[420px]", md: "md:w-[560px]", lg: "md:w-[720px]", xl: "md:w-[920px]" };

const TYPED_INTO = "input:not([type='hidden']):not([readonly]), textarea, [role='combobox']";

/** What is typed into or chosen first, else the first button of the content, else the cross. */
function firstOf(body: HTMLElement | null): HTMLElement | null | undefined {
  return body?.querySelector<HTMLElement>(TYPED_INTO) ?? body?.querySelector<HTMLElement>("button, a[href]");
}

/** In the middle of a screen, a sheet from below on a phone. Focus stays in it and goes back to where it was. */
export function Dialog({ open, onClose, title, description, children, footer, size = "md", sticky }: Props) {
  const say = useWords(partWords);
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      onOpenChange={next => !next && onClose()}
      disablePointerDismissal={sticky ?? false}
    >
      <Base.Portal>
        <Base.Backdrop
          forceRender
          className="fixed inset-0 z-40 min-h-dvh bg-scrim transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Viewport className="fixed inset-0 z-40 grid place-items-end overflow-hidden md:place-items-center md:p-5">
          <Base.Popup
            initialFocus={() => firstOf(body.current) ?? true}
            className={classNames(
              "flex max-h-[92dvh] w-full flex-col rounded-t-xl border border-line bg-panel shadow-3 outline-none md:max-h-[88dvh] md:rounded-xl",
              "transition-[opacity,translate,scale] duration-150 data-ending-style:translate-y-4 data-starting-style:translate-y-4 data-ending-style:opacity-0 data-starting-style:opacity-0 md:data-ending-style:translate-y-0 md:data-starting-style:translate-y-1",
              SIZES[size],
            )}
          >
            <header className="flex items-start justify-between gap-3 px-5 pt-[18px] pb-3">
              <div className="min-w-0">
                <Base.Title className="font-semibold text-xl tracking-[-0.01em]">{title}</Base.Title>
                {description === undefined ? null : (
                  <Base.Description className="mt-0.5 text-ink-2">{description}</Base.Description>
                )}
              </div>
              <Base.Close aria-label={say("close")} className={classNames(iconButtonClass, "-mt-1 -mr-2")}>
                <X size={17} aria-hidden />
              </Base.Close>
            </header>
            <div
              ref={body}
              className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-3.5 overflow-y-auto overscroll-contain px-5 pt-0.5 pb-1"
            >
              {children}
            </div>
            {footer === undefined ? (
              <div className="h-5" />
            ) : (
              <footer className="flex flex-wrap justify-end gap-2 px-5 pt-4 pb-[max(18px,env(safe-area-inset-bottom))] phone:*:flex-1">
                {footer}
              </footer>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
