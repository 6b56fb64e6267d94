import { Popover } from "@base-ui/react/popover";
import { type RefObject, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { Button } from "./button.tsx";
import type { Range } from "./date-range.tsx";
import { Field } from "./field.tsx";
import { partWords } from "./part-words.ts";
import { TextInput } from "./text-input.tsx";

type Props = {
  value: Range;
  onChange: (range: Range) => void;
  anchor: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
};

export function DateRangePopup({ value, onChange, anchor, onClose }: Props) {
  const say = useWords(partWords);
  const [from, setFrom] = useState(value.preset === "custom" ? value.from : "");
  const [to, setTo] = useState(value.preset === "custom" ? value.to : "");
  const isWrong = from !== "" && to !== "" && to < from;
  const isReady = from !== "" && to !== "" && !isWrong;
  return (
    <Popover.Root open modal onOpenChange={next => !next && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={5} align="end" className="z-50">
          <Popover.Popup finalFocus={anchor} aria-label={say("customRange")} className="floating w-64 p-3">
            <form
              className="grid gap-3"
              onSubmit={event => {
                event.preventDefault();
                if (!isReady) return;
                onChange({ preset: "custom", from, to });
                onClose();
              }}
            >
              <Field label={say("from")}>
                <TextInput type="date" value={from} onChange={setFrom} />
              </Field>
              <Field label={say("to")} {...(isWrong ? { error: say("rangeWrong") } : {})}>
                <TextInput type="date" value={to} onChange={setTo} />
              </Field>
              <Button type="submit" tone="primary" disabled={!isReady}>
                {say("apply")}
              </Button>
            </form>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
