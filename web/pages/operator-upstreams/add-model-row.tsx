import { Checkbox } from "../../parts/checkbox.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Price } from "./add-draft.ts";
import { addWords } from "./add-words.ts";
import type { Found } from "./upstream-reads.ts";

type Props = {
  found: Found;
  /** Null where it is not chosen. */
  price: Price | null;
  onChoose: (isChosen: boolean) => void;
  onPrice: (price: Price) => void;
};

/** A model of the provider; once chosen with its price, which is suggested where the catalogue knows it. */
export function AddModelRow({ found, price, onChoose, onPrice }: Props) {
  const say = useWords(addWords);
  const isPriced = price !== null && price.input !== "" && price.output !== "";
  const unknown = isPriced ? "perMillion" : "noPrice";
  const word = found.is_known ? "known" : found.price === null ? unknown : "suggested";
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3.5 py-2 last:border-0">
      <div className="min-w-0 flex-1 basis-56">
        <Checkbox
          checked={price !== null}
          onChange={onChoose}
          label={<code className="break-all text-sm">{found.upstream_model}</code>}
          hint={say(word)}
        />
      </div>
      {price === null || found.is_known ? null : (
        <div className="flex items-center gap-2 phone:w-full" title={say("perMillion")}>
          <PriceInput
            word={say("input")}
            label={say("inputOf", { model: found.upstream_model })}
            value={price.input}
            onChange={input => onPrice({ ...price, input })}
          />
          <PriceInput
            word={say("output")}
            label={say("outputOf", { model: found.upstream_model })}
            value={price.output}
            onChange={output => onPrice({ ...price, output })}
          />
        </div>
      )}
    </li>
  );
}

const TAKEN = /^\d*([.]\d*)?$/;

type PriceProps = { word: string; label: string; value: string; onChange: (value: string) => void };

function PriceInput({ word, label, value, onChange }: PriceProps) {
  return (
    <label className="flex min-w-0 items-center gap-1.5 text-ink-3 text-xs phone:flex-1">
      <span aria-hidden className="shrink-0">
        {word}
      </span>
      <span className="control flex min-h-8! w-24 items-center gap-1 px-2! phone:w-full">
        <span aria-hidden className="text-ink-3">
          $
        </span>
        <input
          type="text"
          inputMode="decimal"
          autoComplete="off"
          aria-label={label}
          placeholder="–"
          value={value}
          onChange={event => {
            const typed = event.target.value.replaceAll(/\s/g, "").replace(",", ".");
            if (TAKEN.test(typed)) onChange(typed);
          }}
          className="h-[30px] w-full min-w-0 bg-transparent text-ink text-sm tabular-nums phone:text-[16px]"
        />
      </span>
    </label>
  );
}
