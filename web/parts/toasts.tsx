import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useWords } from "../words/language-provider.tsx";
import { partWords } from "./part-words.ts";
import { dismissToast, holdToast, onToasts, releaseToast, type Toast, toastsNow } from "./toast-store.ts";

const ICONS = {
  ok: <CircleCheck size={17} className="mt-0.5 shrink-0 text-ok" aria-hidden />,
  bad: <CircleAlert size={17} className="mt-0.5 shrink-0 text-bad" aria-hidden />,
  info: <Info size={17} className="mt-0.5 shrink-0 text-info" aria-hidden />,
};

function One({ toast }: { toast: Toast }) {
  const say = useWords(partWords);
  const hold = () => holdToast(toast.id);
  const release = () => releaseToast(toast);
  return (
    <li
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
      className="floating pointer-events-auto flex w-fit max-w-[min(420px,calc(100vw-24px))] items-start gap-2.5 py-2.5 pr-1.5 pl-3"
    >
      {ICONS[toast.tone]}
      <span className="min-w-0 flex-1">{toast.text}</span>
      {toast.action === undefined ? null : (
        <button
          type="button"
          className="rounded-sm px-1 font-medium text-accent hover:underline"
          onClick={() => {
            toast.action?.onSelect();
            dismissToast(toast.id);
          }}
        >
          {toast.action.label}
        </button>
      )}
      <button
        type="button"
        aria-label={say("dismiss")}
        className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-3 hover:text-ink"
        onClick={() => dismissToast(toast.id)}
      >
        <X size={14} aria-hidden />
      </button>
    </li>
  );
}

/** Stands once in the app; read out politely as they come. */
export function Toasts() {
  const toasts = useSyncExternalStore(onToasts, toastsNow, toastsNow);
  return (
    <ul
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-[calc(16px+env(safe-area-inset-bottom))] z-[60] grid justify-items-center gap-2 phone:bottom-[calc(76px+env(safe-area-inset-bottom))] md:left-auto md:justify-items-end"
    >
      {toasts.map(toast => (
        <One key={toast.id} toast={toast} />
      ))}
    </ul>
  );
}
