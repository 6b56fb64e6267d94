const NAME_CHARACTERS_MAX = 60;
const VERSIONED = /^(.+?)\/v?\d[^/]*$/;
/** What every browser, and whatever is built on one, says of itself before it comes to its own name. */
const ENGINES: ReadonlySet<string> = new Set([
  "Mozilla",
  "AppleWebKit",
  "KHTML",
  "Gecko",
  "Version",
  "Mobile",
  "Chrome",
  "Safari",
  "Electron",
]);

/**
 * What a client calls itself, without its version and its machine: `claude-cli/2.1.0 (external, cli)` is `claude-cli`.
 * Usage is summed up and filtered by it, so that an update of the tool is not another tool.
 */
export function toolName(agent: string): string {
  const words = agent.replace(/\([^)]*\)?/g, " ").match(/\S+/g) ?? [];
  const names = words.map(word => VERSIONED.exec(word)?.[1] ?? word);
  const first = names[0] ?? "";
  const own = first === "Mozilla" ? (names.find(isOwn) ?? names.find(isBrowser) ?? first) : first;
  return own.slice(0, NAME_CHARACTERS_MAX);
}

function isOwn(name: string): boolean {
  return !ENGINES.has(name) && /^[A-Za-z]/.test(name) && name !== "like";
}

function isBrowser(name: string): boolean {
  return name === "Chrome" || name === "Safari";
}
