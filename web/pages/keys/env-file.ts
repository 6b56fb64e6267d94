type Given = { comment: string; string: string; openaiUrl: string; messagesUrl: string };

/** What most clients and libraries read from their environment. */
export function envFile({ comment, string, openaiUrl, messagesUrl }: Given): string {
  return [
    `# ${comment.replaceAll(/\s+/g, " ")}`,
    `OPENAI_BASE_URL=${openaiUrl}`,
    `OPENAI_API_KEY=${string}`,
    `ANTHROPIC_BASE_URL=${messagesUrl}`,
    `ANTHROPIC_AUTH_TOKEN=${string}`,
    "",
  ].join("\n");
}

/** A file name that every system takes. */
export function envFileName(keyName: string): string {
  const plain = keyName
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 40);
  return `${plain === "" ? "wicketgate" : `wicketgate-${plain}`}.env`;
}
