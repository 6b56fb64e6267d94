export type System = "windows" | "unix" | "phone";

/** What the browser says it runs on; a guess that only decides what is offered first. */
export function systemOf(agent: string): System {
  if (/android|iphone|ipad|mobile/i.test(agent)) return "phone";
  return /windows/i.test(agent) ? "windows" : "unix";
}

export function guessSystem(): System {
  return systemOf(globalThis.navigator?.userAgent ?? "");
}
