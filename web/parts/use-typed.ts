import { useState } from "react";

type Typed = {
  value: string;
  type: (text: string) => void;
  /** It is saved as it was then. What was typed since is still to be. */
  saved: (then: string) => void;
};

/** A text that stands in the place of a saved one until it is saved, too. */
export function useTyped(kept: string): Typed {
  const [typed, setTyped] = useState<string | null>(null);
  return {
    value: typed ?? kept,
    type: setTyped,
    saved: then => setTyped(now => (now === then ? null : now)),
  };
}
