import type { Key } from "./draft.ts";

/** A string that was just made: it lives in this page's memory, until it is closed, and nowhere else. */
export type Fresh = {
  key: Key;
  string: string;
  isRotated: boolean;
  /** Copied or downloaded at least once. */
  isKept: boolean;
};
