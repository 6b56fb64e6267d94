import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { formatPrice } from "../../format/money.ts";
import { classNames } from "../../parts/class-names.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Model, Suggested } from "./model-reads.ts";
import { priceText } from "./price.ts";
import { INLINE_PARTS, type InlinePart, type InlinePrices, type Place } from "./use-inline-prices.ts";
import { words } from "./words.ts";

type Props = { model: Model; part: InlinePart; prices: InlinePrices; suggested: Suggested | null };

const PLACE = "data-price";
const nameOf = ({ id, part }: Place) => `${id} ${part}`;

function placeOf(element: Element | undefined): Place | null {
  const [id = "", part] = element?.getAttribute(PLACE)?.split(" ") ?? [];
  const found = INLINE_PARTS.find(one => one === part);
  return found === undefined ? null : { id, part: found };
}

/** The price beside it, in the order in which the list stands on the screen. */
function neighbour(place: Place, step: 1 | -1): Place | null {
  const all = [...document.querySelectorAll(`[${PLACE}]`)];
  const at = all.findIndex(element => element.getAttribute(PLACE) === nameOf(place));
  return at < 0 ? null : placeOf(all[at + step]);
}

/** A price in the list: a button that turns into an input. */
export function PriceCell(props: Props) {
  const { model, part, prices } = props;
  const { editing, edit } = prices;
  const isEditing = editing?.id === model.id && editing.part === part;
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    // Back to where it was, unless the next price is being typed already.
    if (wasEditing.current && !isEditing && prices.editing === null) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing, prices.editing]);
  if (isEditing) return <PriceInput {...props} />;
  return (
    <button
      ref={button}
      type="button"
      {...{ [PLACE]: nameOf({ id: model.id, part }) }}
      onClick={() => edit({ id: model.id, part })}
      className={classNames(
        "-mx-1.5 -my-1 inline-flex min-h-7 items-center rounded-sm border border-transparent px-1.5 tabular-nums",
        "transition-colors hover:border-line-strong hover:bg-panel phone:my-0 phone:min-h-9 phone:border-line-strong phone:border-dashed",
        prices.savingId === model.id && "opacity-50",
      )}
    >
      <PriceShown {...props} />
    </button>
  );
}

function PriceShown({ model, part, prices, suggested }: Props) {
  const say = useWords(words);
  const { language } = say;
  const name = say(part);
  const own = model.price?.[part];
  const typed = prices.typed.get(model.id)?.[part];
  const known = suggested?.prices.get(model.name)?.[part];
  if (own !== undefined) {
    const price = formatPrice(own, language);
    return (
      <>
        <span aria-hidden className={part === "cache_read" ? "text-ink-2" : ""}>
          {price}
        </span>
        <span className="sr-only">{say("editPrice", { part: name, model: model.name, price })}</span>
      </>
    );
  }
  const shown = typed ?? known;
  return (
    <>
      <span aria-hidden className={classNames("italic", typed === undefined ? "text-ink-3" : "text-warn")}>
        {shown === undefined ? "—" : formatPrice(shown, language)}
      </span>
      <span className="sr-only">{say("setPartPrice", { part: name, model: model.name })}</span>
    </>
  );
}

function PriceInput({ model, part, prices, suggested }: Props) {
  const say = useWords(words);
  const [text, setText] = useState(
    () =>
      model.price?.[part] ??
      prices.typed.get(model.id)?.[part] ??
      suggested?.prices.get(model.name)?.[part] ??
      "",
  );
  const [isWrong, setWrong] = useState(false);
  const isOver = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const errorId = useId();
  useEffect(() => input.current?.select(), []);
  const isBegun = prices.typed.has(model.id);

  const leave = (next: Place | null) => {
    isOver.current = true;
    prices.edit(next);
  };
  /** False where what was typed is no price. */
  const keep = (next: Place | null): boolean => {
    const price = priceText(text, part);
    if (price === null) {
      setWrong(true);
      return false;
    }
    const isWhole = prices.save(model, part, price);
    const missing = INLINE_PARTS.find(
      one => one !== part && one !== "cache_read" && prices.typed.get(model.id)?.[one] === undefined,
    );
    leave(isWhole || missing === undefined ? next : { id: model.id, part: missing });
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") keep(null);
    else if (event.key === "Escape") leave(null);
    else if (event.key === "Tab") {
      const next = neighbour({ id: model.id, part }, event.shiftKey ? -1 : 1);
      // Nothing typed is nothing to save: Tab goes on as it would anywhere.
      if (text === "") leave(next);
      else keep(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span className="relative inline-grid justify-items-end">
      <input
        ref={input}
        {...{ [PLACE]: nameOf({ id: model.id, part }) }}
        aria-label={say("newPrice", { part: say(part), model: model.name })}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong || isBegun ? errorId : undefined}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        onChange={event => {
          const typed = event.target.value.replaceAll(/[\s_$]/g, "").replace(",", ".");
          if (!/^\d*\.?\d*$/.test(typed)) return;
          setWrong(false);
          setText(typed);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (isOver.current) return;
          if (text === "" || !keep(null)) leave(null);
        }}
        className="control -my-1 h-8 min-h-8! w-24! px-2! text-right tabular-nums phone:w-32! phone:text-left phone:text-[16px]!"
      />
      {isWrong || isBegun ? (
        <span
          id={errorId}
          role={isWrong ? "alert" : undefined}
          className={classNames(
            "floating absolute top-full right-0 z-10 mt-1.5 w-max max-w-56 whitespace-normal px-2 py-1 text-left text-xs",
            isWrong ? "text-bad!" : "text-ink-2!",
          )}
        >
          {isWrong ? say("priceWrong") : say("partMissing", { part: say(part) })}
        </span>
      ) : null}
    </span>
  );
}
