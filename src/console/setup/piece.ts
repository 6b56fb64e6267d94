import type { z } from "zod";
import type { setupPiece } from "../contract/keys.ts";
import { bashQuoted, cmdQuoted, powershellQuoted } from "./safe-text.ts";

export type Piece = z.output<typeof setupPiece>;

/** What the console puts the string of the key in the place of. */
export const KEY = "{{key}}";

/** Where a program of the holder's reads its environment; this process reads its own elsewhere. */
export const NODE_ENVIRONMENT = ["process", "env"].join(".");

type Commands = {
  title: string;
  /** Taken away, so that no other key or address is used. */
  unset?: readonly string[];
  set?: Readonly<Record<string, string>>;
  /** Started afterwards: a command and its arguments. */
  run?: readonly string[];
};

/** The same for each shell, in its own words; cmd is left out where it cannot say it. */
export function shellPieces(commands: Commands): Piece[] {
  const { title } = commands;
  const shells = [
    ["bash", bash(commands)],
    ["powershell", powershell(commands)],
    ["cmd", cmd(commands)],
  ] as const;
  return shells.flatMap(([shell, text]) =>
    text === null ? [] : { title, shell, file: null, language: shell, text },
  );
}

export function filePiece({ title, file, language, text }: Omit<Piece, "shell">): Piece {
  return { title, shell: null, file, language, text };
}

/** What is entered by hand: one line for each field. */
export function fieldsPiece(title: string, fields: readonly (readonly [string, string])[]): Piece {
  const text = fields.map(([label, value]) => `${label}: ${value}`).join("\n");
  return { title, shell: null, file: null, language: "text", text };
}

function bash({ unset = [], set = {}, run }: Commands): string {
  return lines([
    ...unset.map(name => `unset ${name}`),
    ...Object.entries(set).map(([name, value]) => `export ${name}=${bashQuoted(value)}`),
    ...(run === undefined ? [] : [words(run, bashQuoted)]),
  ]);
}

function powershell({ unset = [], set = {}, run }: Commands): string {
  return lines([
    ...unset.map(name => `Remove-Item Env:${name} -ErrorAction SilentlyContinue`),
    ...Object.entries(set).map(([name, value]) => `$env:${name} = ${powershellQuoted(value)}`),
    ...(run === undefined ? [] : [words(run, powershellQuoted)]),
  ]);
}

function cmd({ unset = [], set = {}, run = [] }: Commands): string | null {
  const values = [...Object.values(set), ...run];
  if (values.some(value => cmdQuoted(value) === null)) return null;
  return lines([
    ...unset.map(name => `set "${name}="`),
    ...Object.entries(set).map(([name, value]) => `set "${name}=${value}"`),
    ...(run.length === 0 ? [] : [words(run, text => cmdQuoted(text) ?? "")]),
  ]);
}

/** What is plain in every shell stays as it is, for whoever reads it. */
function words(parts: readonly string[], quote: (text: string) => string): string {
  return parts
    .map(part => (/^[A-Za-z0-9][A-Za-z0-9_./-]*$|^--?[a-z-]+$/.test(part) ? part : quote(part)))
    .join(" ");
}

function lines(all: readonly string[]): string {
  return all.join("\n");
}
