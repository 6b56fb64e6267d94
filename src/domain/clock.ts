/** The one owner of time; passed in, so that tests set it. */
export type Clock = { nowMs: () => number };
