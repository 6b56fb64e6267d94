import { Skeleton } from "../parts/skeleton.tsx";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

/** While a page's own file is fetched. */
export function PageWaiting() {
  const say = useWords(appWords);
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">{say("loading")}</span>
      <Skeleton className="h-7 w-44" />
      <Skeleton className="h-4 w-80 max-w-full" />
      <Skeleton className="mt-2 h-28 w-full" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}
