import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { RefreshCw, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import { ApiError } from "../api/api-error.ts";
import { Button } from "../parts/button.tsx";
import { ErrorState } from "../parts/error-state.tsx";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

/** A file of the build that is gone: the console was updated under an open tab. */
function isOldBuild(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script failed|Failed to fetch/i.test(error.message)
  );
}

/** Stands in the place of a page that threw; the rest of the console goes on. */
export function PageCrash({ error, reset }: ErrorComponentProps) {
  const say = useWords(appWords);
  const router = useRouter();
  useEffect(() => {
    const stop = router.subscribe("onBeforeNavigate", () => reset());
    return stop;
  }, [router, reset]);
  if (error instanceof ApiError) return <ErrorState error={error} onRetry={reset} />;
  return (
    <div role="alert" className="grid justify-items-center gap-2 px-6 py-16 text-center">
      <span className="mb-2 grid size-11 place-items-center rounded-full bg-bad-soft text-bad">
        <TriangleAlert size={20} aria-hidden />
      </span>
      <h1 tabIndex={-1} className="font-semibold text-xl">
        {say("crashTitle")}
      </h1>
      <p className="max-w-md text-balance text-ink-2">
        {say(isOldBuild(error) ? "newVersion" : "crashText")}
      </p>
      <Button
        tone="primary"
        className="mt-2"
        icon={<RefreshCw size={15} aria-hidden />}
        onClick={() => location.reload()}
      >
        {say("reload")}
      </Button>
    </div>
  );
}
