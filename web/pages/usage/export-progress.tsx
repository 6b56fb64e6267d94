import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { formatCount, formatShare } from "../../format/number.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { exportWords } from "./export-words.ts";
import type { ExportFormat } from "./row-counter.ts";
import type { ExportState } from "./use-export.ts";

type Props = {
  state: ExportState;
  onCancel: () => void;
  onDismiss: () => void;
  onStart: (format: ExportFormat) => void;
};

/** How far an export is, and what has become of it. */
export function ExportProgress({ state, onCancel, onDismiss, onStart }: Props) {
  const say = useWords(exportWords);
  const tell = useErrorText();
  if (state.phase === "running") return <Running state={state} onCancel={onCancel} />;
  const dismiss = (
    <Button size="sm" tone="ghost" onClick={onDismiss}>
      {say("dismiss")}
    </Button>
  );
  if (state.phase === "failed") {
    // A connection that was cut in the middle is no answer, so it has no sentence of its own.
    const error = state.error instanceof ApiError ? state.error : new ApiError({ code: "lost", message: "" });
    return (
      <Banner
        tone="bad"
        className="mb-3.5"
        action={
          <span className="flex flex-wrap gap-2">
            <Button size="sm" onClick={() => onStart(state.format)}>
              {say("again")}
            </Button>
            {dismiss}
          </span>
        }
      >
        {say("failed", { text: tell(error) })}
      </Banner>
    );
  }
  const isDone = state.phase === "done";
  return (
    <Banner tone={isDone ? "ok" : "quiet"} className="mb-3.5" action={dismiss}>
      <span role="status">
        {isDone ? say("done", { count: state.rows, file: state.file }) : say("cancelled")}
      </span>
    </Banner>
  );
}

function Running({ state, onCancel }: Pick<Props, "state" | "onCancel">) {
  const say = useWords(exportWords);
  const { rows, total, file } = state;
  const share = total === null || total === 0 ? null : Math.min(1, rows / total);
  const text =
    total === null
      ? rows === 0
        ? say("starting")
        : say("running", { count: rows })
      : say("runningOf", { rows: formatCount(rows, say.language), total: formatCount(total, say.language) });
  return (
    <div className="panel mb-3.5 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2 px-4 py-3">
      <p className="min-w-0">
        <span className="mr-2 font-medium">{say("title", { file })}</span>
        <span className="text-ink-2 text-sm tabular-nums">
          {text}
          {share === null ? null : ` · ${formatShare(share, say.language)}`}
        </span>
      </p>
      <Button size="sm" onClick={onCancel}>
        {say("cancel")}
      </Button>
      <progress
        max={1}
        {...(share === null ? {} : { value: share })}
        aria-label={say("progress", { share: share === null ? "…" : formatShare(share, say.language) })}
        className="col-span-2 h-[5px] w-full appearance-none overflow-hidden rounded-[3px] bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
      />
    </div>
  );
}
