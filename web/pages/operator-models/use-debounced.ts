import { useEffect, useState } from "react";

/** The value once it has stood still for a moment; typing is not answered letter by letter. */
export function useDebounced<T>(value: T, ms = 350): T {
  const [still, setStill] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setStill(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return still;
}
