import { useEffect, useState } from "react";
import { nextChangeMs } from "./time.ts";

/** The browser's clock has this one owner. */
export function now(): number {
  return Date.now();
}

/** Draws anew when the words for that moment change. */
export function useNow(iso: string): number {
  const [at, setAt] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => setAt(now()), nextChangeMs(iso, at));
    return () => clearTimeout(timer);
  }, [iso, at]);
  return at;
}
