import { RefreshCw, TriangleAlert } from "lucide-react";
import { useErrorText } from "../api/error-text.ts";
import { useWords } from "../words/language-provider.tsx";
import { Button } from "./button.tsx";
import { partWords } from "./part-words.ts";

type Props = { error: unknown; onRetry?: () => void; isRetrying?: boolean };

/** It could not be had: why, and trying again. */
export function ErrorState({ error, onRetry, isRetrying }: Props) {
  const tell = useErrorText();
  const say = useWords(partWords);
  return (
    <div role="alert" className="grid justify-items-center gap-3 px-6 py-12 text-center">
      <span className="grid size-11 place-items-center rounded-full bg-bad-soft text-bad">
        <TriangleAlert size={20} aria-hidden />
      </span>
      <p className="max-w-md text-balance">{tell(error)}</p>
      {onRetry === undefined ? null : (
        <Button icon={<RefreshCw size={15} aria-hidden />} onClick={onRetry} busy={isRetrying ?? false}>
          {say("retry")}
        </Button>
      )}
    </div>
  );
}
