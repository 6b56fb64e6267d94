import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { type Box, lastPlace, movedTo, placeAt, placeOf, type Tiers, without } from "./order.ts";

/** Who is on the move, to which place, and by what. */
export type Drag = { id: string; place: number; by: "pointer" | "keys" };

type Asked = {
  tiers: Tiers;
  onOrder: (tiers: Tiers) => void;
  /** Told at each step, to be read out. */
  onStep: (step: "taken" | "moved" | "dropped" | "left", drag: Drag) => void;
};

/** A press that hardly moves is a click. */
const STILL_PX = 4;
const SCROLL_EDGE_PX = 56;
const SCROLL_STEP_PX = 14;

function boxesOf(handle: Element, others: Tiers): Box[] {
  const rows = new Map<string, DOMRect>();
  for (const grip of handle.closest("tbody")?.querySelectorAll<HTMLElement>("[data-grip]") ?? []) {
    const row = grip.closest("tr");
    if (row !== null) rows.set(grip.dataset["grip"] ?? "", row.getBoundingClientRect());
  }
  return others.map(tier => {
    const boxes = tier.flatMap(id => rows.get(id) ?? []);
    return { top: Math.min(...boxes.map(box => box.top)), bottom: Math.max(...boxes.map(box => box.bottom)) };
  });
}

function scrollNear(y: number): void {
  if (y < SCROLL_EDGE_PX) window.scrollBy(0, -SCROLL_STEP_PX);
  else if (y > window.innerHeight - SCROLL_EDGE_PX) window.scrollBy(0, SCROLL_STEP_PX);
}

/** After it has moved in the page it is another element's turn to be focused, unless somebody says otherwise. */
function focusGrip(id: string): void {
  requestAnimationFrame(() => {
    for (const grip of document.querySelectorAll<HTMLElement>("[data-grip]")) {
      if (grip.dataset["grip"] === id) grip.focus({ preventScroll: false });
    }
  });
}

/** Rows moved by their grips: with a pointer, or with Space, the arrow keys and Space again. */
export function useDrag({ tiers, onOrder, onStep }: Asked) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const press = useRef<{ y: number; id: string } | null>(null);
  const step = (what: Parameters<Asked["onStep"]>[0], next: Drag) => {
    setDrag(what === "taken" || what === "moved" ? next : null);
    onStep(what, next);
  };
  const drop = (given: Drag) => {
    step("dropped", given);
    onOrder(movedTo(tiers, given.id, given.place));
    focusGrip(given.id);
  };
  const leave = () => {
    press.current = null;
    if (drag !== null) step("left", { ...drag, place: placeOf(tiers, drag.id) });
  };
  const isHeld = drag?.by === "pointer";
  useEffect(() => {
    if (!isHeld) return;
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      press.current = null;
      setDrag(null);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isHeld]);
  const grip = (id: string) => ({
    "data-grip": id,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      press.current = { y: event.clientY, id };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const start = press.current;
      if (start?.id !== id || (!isHeld && Math.abs(event.clientY - start.y) < STILL_PX)) return;
      scrollNear(event.clientY);
      const place = placeAt(event.clientY, boxesOf(event.currentTarget, without(tiers, id)));
      const next: Drag = { id, place, by: "pointer" };
      if (drag?.place !== place || drag.id !== id) step(drag === null ? "taken" : "moved", next);
    },
    onPointerUp: () => {
      press.current = null;
      if (drag?.by === "pointer" && drag.id === id) drop(drag);
    },
    onPointerCancel: leave,
    onBlur: () => drag?.by === "keys" && leave(),
    onKeyDown: (event: KeyboardEvent) => onGripKey(event, id),
  });
  const onGripKey = (event: KeyboardEvent, id: string) => {
    const own = drag?.by === "keys" && drag.id === id ? drag : null;
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (own === null) step("taken", { id, place: placeOf(tiers, id), by: "keys" });
      else drop(own);
    } else if (own !== null && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      const by = event.key === "ArrowUp" ? -1 : 1;
      const place = Math.min(lastPlace(tiers, id), Math.max(0, own.place + by));
      if (place !== own.place) step("moved", { ...own, place });
    } else if (own !== null && event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      leave();
    }
  };
  return { drag, grip };
}
