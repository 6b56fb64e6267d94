import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";
import { GateMark } from "./gate-mark.tsx";

/** While a page outside the frame is fetched. */
export function OpenWaiting() {
  const say = useWords(appWords);
  return (
    <div role="status" className="grid min-h-dvh place-content-center">
      <span className="sr-only">{say("loading")}</span>
      <GateMark className="size-10 animate-pulse text-line-strong" />
    </div>
  );
}
