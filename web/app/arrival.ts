import type { router as Router } from "./router.tsx";

/** On another page the focus goes to its heading, so that it is read out and Tab goes on from there. */
export function focusOnArrival(router: typeof Router): void {
  router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
    // The first page was opened by an address: where the browser put the focus is right.
    if (fromLocation === undefined || !pathChanged) return;
    // A page that begins with a form has put it there already.
    if (document.activeElement instanceof HTMLInputElement) return;
    document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
  });
}
