import { ChevronDown } from "lucide-react";
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { ChosenChip, chipClass } from "./filter-chip.tsx";
import { partWords } from "./part-words.ts";

const Combobox = lazy(async () => ({ default: (await import("./combobox.tsx")).Combobox }));

type Props = {
  name: string;
  /** Null: all. */
  value: string | null;
  onChange: (value: string | null) => void;
  options: readonly { value: string; label: string }[];
};

/** A filter among too many for a menu: clicked, it becomes an input that searches them. */
export function SearchChip({ name, value, onChange, options }: Props) {
  const say = useWords(partWords);
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const chosen = options.find(option => option.value === value);
  const close = () => {
    setOpen(false);
    requestAnimationFrame(() => place.current?.querySelector("button")?.focus());
  };
  const chip = (
    <ChosenChip name={name} isChosen={chosen !== undefined} onRemove={() => onChange(null)}>
      <button type="button" className={chipClass(chosen !== undefined)} onClick={() => setOpen(true)}>
        <span className="truncate">{`${name}: ${chosen?.label ?? value ?? say("all")}`}</span>
        <ChevronDown size={13} className="shrink-0 text-ink-3" aria-hidden />
      </button>
    </ChosenChip>
  );
  return (
    <span ref={place} className="inline-flex max-w-full">
      {isOpen ? (
        <Suspense fallback={chip}>
          <Search onClose={close}>
            <Combobox
              compact
              clearable={false}
              className="w-64!"
              label={name}
              placeholder={name}
              value={value}
              onChange={next => {
                onChange(next);
                close();
              }}
              options={options}
            />
          </Search>
        </Suspense>
      ) : (
        chip
      )}
    </span>
  );
}

/** Typed into at once; left or escaped from, it is a chip again. */
function Search({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  const ref = useRef<HTMLSpanElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const place = ref.current;
    const input = place?.querySelector("input");
    input?.focus();
    input?.select();
    const onKeyDown = (event: KeyboardEvent) => event.key === "Escape" && close.current();
    const onFocusOut = ({ relatedTarget }: FocusEvent) => {
      if (!(relatedTarget instanceof Element)) return;
      // Its list stands elsewhere in the page.
      const isOwn = place?.contains(relatedTarget) || relatedTarget.closest(".floating") !== null;
      if (!isOwn) close.current();
    };
    place?.addEventListener("keydown", onKeyDown);
    place?.addEventListener("focusout", onFocusOut);
    return () => {
      place?.removeEventListener("keydown", onKeyDown);
      place?.removeEventListener("focusout", onFocusOut);
    };
  }, []);
  return <span ref={ref}>{children}</span>;
}
