import type { Dialect } from "../../domain/usage.ts";
import { KEY, type Piece } from "./piece.ts";
import { asciiJson, bashQuoted, cmdArgument, cmdQuoted, powershellQuoted } from "./safe-text.ts";
import { ANY, type ClientWriter, type Scene } from "./scene.ts";

const ASK = "Say hello in five words.";
const OUTPUT_TOKENS = 200;

/** Plain HTTP, in each of the three dialects. */
export const curl: ClientWriter = {
  wishes: ANY,
  write: scene => ({
    id: "curl",
    name: "curl",
    kind: "code",
    dialect: "chat",
    base_url: scene.v1,
    pieces: (["chat", "responses", "messages"] as const).flatMap(dialect => piecesOf(dialect, scene)),
    warnings: [],
    notes: [scene.words.curlHistory],
  }),
};

function piecesOf(dialect: Dialect, { v1, model, words }: Scene): Piece[] {
  const call = { url: `${v1}${PATHS[dialect]}`, headers: headersOf(dialect), body: bodyOf(dialect, model) };
  const title = words.curlTitle[dialect];
  const shells = [
    ["bash", bash(call)],
    ["powershell", powershell(call)],
    ["cmd", cmd(call)],
  ] as const;
  return shells.flatMap(([shell, text]) =>
    text === null ? [] : { title, shell, file: null, language: shell, text },
  );
}

const PATHS: Record<Dialect, string> = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
};

function headersOf(dialect: Dialect): [string, string][] {
  return dialect === "messages"
    ? [
        ["x-api-key", KEY],
        ["anthropic-version", "2023-06-01"],
      ]
    : [["authorization", `Bearer ${KEY}`]];
}

function bodyOf(dialect: Dialect, model: string): string {
  const messages = [{ role: "user", content: ASK }];
  const bodies = {
    chat: { model, messages },
    responses: { model, input: ASK },
    messages: { model, max_tokens: OUTPUT_TOKENS, messages },
  };
  return asciiJson(bodies[dialect]);
}

type Call = { url: string; headers: [string, string][]; body: string };

function bash({ url, headers, body }: Call): string {
  const named = [...headers, ["content-type", "application/json"]];
  const options = named.map(([name, value]) => `-H ${bashQuoted(`${name}: ${value}`)}`);
  return [`curl ${bashQuoted(url)}`, ...options, `-d ${bashQuoted(body)}`].join(" \\\n  ");
}

/** There `curl` is another program in older versions, so this uses what every version has. */
function powershell({ url, headers, body }: Call): string {
  const named = headers.map(([name, value]) => `${powershellQuoted(name)} = ${powershellQuoted(value)}`);
  return [
    `$headers = @{ ${named.join("; ")} }`,
    `$body = ${powershellQuoted(body)}`,
    `Invoke-RestMethod -Method Post -Uri ${powershellQuoted(url)} -Headers $headers -ContentType 'application/json' -Body $body | ConvertTo-Json -Depth 20`,
  ].join("\n");
}

function cmd({ url, headers, body }: Call): string | null {
  const [address, argument] = [cmdQuoted(url), cmdArgument(body)];
  if (address === null || argument === null) return null;
  const named = [...headers, ["content-type", "application/json"]];
  return [
    `curl ${address}`,
    ...named.map(([name, value]) => `-H "${name}: ${value}"`),
    `-d ${argument}`,
  ].join(" ^\n  ");
}
