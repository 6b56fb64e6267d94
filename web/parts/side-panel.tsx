import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useWords } from "../words/language-provider.tsx";
import { classNames } from "./class-names.ts";
import { iconButtonClass } from "./icon-button.tsx";
import { partWords } from "./part-words.ts";

type Props = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
};

/** Beside the page: the page stays in sight and in reach; a whole screen on a phone. */
export function SidePanel({ open, onClose, title, description, children, footer, wide }: Props) {
  const say = useWords(partWords);
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={next => !next && onClose()} modal={false} disablePointerDismissal>
      <Base.Portal>
        <Base.Popup
          ref={popup}
          // Itself, so that it is read out from its beginning and no button is marked.
          initialFocus={popup}
          className={classNames(
            "fixed inset-y-0 right-0 z-30 flex w-full flex-col border-line border-l bg-panel shadow-3 outline-none",
            "transition-[translate,opacity] duration-150 data-ending-style:translate-x-6 data-starting-style:translate-x-6 data-ending-style:opacity-0 data-starting-style:opacity-0",
            wide ? "md:w-[680px] md:max-w-[92vw]" : "md:w-[440px]",
          )}
        >
          <div className="flex items-start justify-between gap-3 border-line border-b px-5 py-4">
            <div className="min-w-0">
              <Base.Title className="font-semibold text-lg">{title}</Base.Title>
              {description === undefined ? null : (
                <Base.Description render={<div />} className="text-ink-2 text-sm">
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close
              aria-label={say("close")}
              className={classNames(iconButtonClass, "-my-1 -mr-2 phone:-my-2")}
            >
              <X size={17} aria-hidden />
            </Base.Close>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-4">{children}</div>
          {footer === undefined ? null : (
            <div className="flex flex-wrap gap-2 border-line border-t px-5 py-3 pb-[max(12px,env(safe-area-inset-bottom))]">
              {footer}
            </div>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
