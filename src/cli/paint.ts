import type { Environment } from "../config.ts";

export type Paint = Record<"red" | "green" | "yellow" | "bold" | "dim", (text: string) => string>;

/** Colour only on a terminal that wants it; https://no-color.org. */
export function paintFor({ isTerminal, env }: { isTerminal: boolean; env: Environment }): Paint {
  const plain = !isTerminal || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const style = (on: number, off: number) => (text: string) =>
    plain ? text : `\u001b[${on}m${text}\u001b[${off}m`;
  return {
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    bold: style(1, 22),
    dim: style(2, 22),
  };
}

/** Names and user agents are a stranger's text: nothing in them may steer the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
