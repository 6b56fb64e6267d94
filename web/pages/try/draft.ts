export type Dialect = "chat" | "responses" | "messages";
export const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];

export const PATHS: Record<Dialect, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

/** What the form has; texts are kept as typed. */
export type Draft = {
  system: string;
  message: string;
  maxTokens: string;
  temperature: string;
  stream: boolean;
};

export const EMPTY: Draft = { system: "", message: "", maxTokens: "", temperature: "", stream: true };

/** As many characters as the server takes. */
export const BODY_MAX = 60_000;
/** Messages-style requests must say it. */
const MAX_TOKENS_NEEDED = 1024;

type Asked = { draft: Draft; dialect: Dialect; model: string };

const numberOf = (text: string) => (text === "" || text === "." ? undefined : Number(text));

function plain({ draft, dialect, model }: Asked): Record<string, unknown> {
  const { system, message, maxTokens, temperature, stream } = draft;
  const rest = { temperature: numberOf(temperature), stream };
  const most = numberOf(maxTokens);
  const user = { role: "user", content: message };
  const instructions = system.trim() === "" ? undefined : system;
  switch (dialect) {
    case "chat": {
      const before = instructions === undefined ? [] : [{ role: "system", content: instructions }];
      return { model, messages: [...before, user], max_completion_tokens: most, ...rest };
    }
    case "responses":
      return { model, instructions, input: message, max_output_tokens: most, ...rest };
    case "messages":
      return {
        model,
        max_tokens: most ?? MAX_TOKENS_NEEDED,
        system: instructions,
        messages: [user],
        ...rest,
      };
  }
}

/** The request that the form stands for, as it is sent. */
export function bodyOf(asked: Asked): string {
  return JSON.stringify(plain(asked), null, 2);
}

/** What was typed as JSON: an object that can be sent, or why not. */
export function jsonProblem(text: string): "notJson" | "notObject" | "tooLong" | null {
  if (text.length > BODY_MAX) return "tooLong";
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "notObject";
  } catch {
    return "notJson";
  }
}

/** The same request for a terminal; the key stays where it is. */
export function curlOf({ root, dialect, body }: { root: string; dialect: Dialect; body: string }): string {
  const quoted = body.replaceAll("'", String.raw`'\''`);
  return [
    `curl ${root}${PATHS[dialect]}`,
    '-H "Authorization: Bearer $WICKETGATE_KEY"',
    '-H "Content-Type: application/json"',
    `-d '${quoted}'`,
  ].join(" \\\n  ");
}
