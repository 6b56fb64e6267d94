import { useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useCall } from "../../api/query.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import { onceWords } from "./once-words.ts";
import { isInDoubt } from "./server-problems.ts";

type Props = { keyView: Key; onClose: () => void; onRotated: (made: { key: Key; string: string }) => void };

const GRACES = {
  now: { seconds: 0, title: "graceNow", detail: "graceNowText" },
  hour: { seconds: 3600, title: "graceHour", detail: "graceHourText" },
  day: { seconds: 86_400, title: "graceDay", detail: "graceDayText" },
  week: { seconds: 7 * 86_400, title: "graceWeek", detail: "graceWeekText" },
} as const;
type Grace = keyof typeof GRACES;

export function RotateDialog({ keyView, onClose, onRotated }: Props) {
  const say = useWords(onceWords);
  const tell = useErrorText();
  const [grace, setGrace] = useState<Grace>("day");
  const isSending = useRef(false);
  const rotate = useCall("POST /keys/{id}/rotate", { refresh: ["GET /keys"], onDone: onRotated });
  const submit = () => {
    if (isSending.current) return;
    isSending.current = true;
    const given = { params: { id: keyView.id }, body: { grace_seconds: GRACES[grace].seconds } };
    rotate.mutate(given, {
      onSettled: () => {
        isSending.current = false;
      },
    });
  };
  const cards = (Object.keys(GRACES) as Grace[]).map(value => ({
    value,
    title: say(GRACES[value].title),
    detail: say(GRACES[value].detail),
  }));
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={<span dir="auto">{say("rotateTitle", { name: keyView.name })}</span>}
      description={say("rotateText")}
      action={say("rotateAction")}
      busy={rotate.isPending}
      error={errorOf(rotate.error)}
    >
      <Field group label={say("grace")}>
        <RadioCards value={grace} onChange={setGrace} cards={cards} />
      </Field>
      {keyView.running > 0 ? (
        <p className="text-ink-2">{say("rotateRunning", { count: keyView.running })}</p>
      ) : null}
    </FormDialog>
  );

  function errorOf(error: unknown): string | undefined {
    if (error === null) return undefined;
    // Closed without proving who is there: nothing was asked for, nothing went wrong.
    if (error instanceof ApiError && error.code === "recent_sign_in_needed") return undefined;
    return isInDoubt(error) ? say("rotateLost") : tell(error);
  }
}
