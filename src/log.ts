import type { Log, LogLevel } from "./domain/log.ts";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** JSON lines on standard error. */
export function jsonLog(least: LogLevel, write: (line: string) => void): Log {
  const from = levels.indexOf(least);
  return (level, event, fields = {}) => {
    if (levels.indexOf(level) < from) return;
    write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}
