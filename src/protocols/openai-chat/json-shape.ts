const JSON_DEPTH_MAX = 100;

/** What stands where a list or a text should. */

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Null for what is no text, and for one that says nothing. */
export function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * Writing what is nested too deep fails only after seconds, in which nothing else runs. So what others made, and is to
 * be written again as it is, is looked at first.
 */
export function isShallow(value: unknown, depthMax: number = JSON_DEPTH_MAX): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depthMax > 0 && Object.values(value).every(inner => isShallow(inner, depthMax - 1));
}
