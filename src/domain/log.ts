export type LogLevel = "debug" | "info" | "warn" | "error";
/** One JSON line; fields never hold a secret. */
export type Log = (
  level: LogLevel,
  event: string,
  fields?: Record<string, string | number | boolean | null>,
) => void;
