import { LinkButton } from "../parts/link-button.tsx";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";
import { GateMark } from "./gate-mark.tsx";
import { usePageTitle } from "./page-title.ts";

export function NotFound() {
  const say = useWords(appWords);
  usePageTitle(say("notFoundTitle"));
  return (
    <div className="grid min-h-[70dvh] place-content-center justify-items-center gap-2 px-6 text-center">
      <GateMark className="mb-2 size-10 text-ink-3" />
      <h1 tabIndex={-1} className="font-semibold text-2xl">
        {say("notFoundTitle")}
      </h1>
      <p className="text-ink-2">{say("notFoundText")}</p>
      <LinkButton to="/keys" className="mt-3">
        {say("toKeys")}
      </LinkButton>
    </div>
  );
}
