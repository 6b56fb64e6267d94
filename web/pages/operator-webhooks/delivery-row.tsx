import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { eventName, eventWords } from "./event-words.ts";
import { useSentence } from "./sentences.ts";
import { DeliveryState } from "./state-pill.tsx";
import { type Delivery, prettyBody, problemText, WEBHOOK_PARTS } from "./webhook.ts";
import { words } from "./words.ts";

type Props = { webhookId: string; delivery: Delivery };

/** One message: what became of it, and on demand what was in it. */
export function DeliveryRow({ webhookId, delivery }: Props) {
  const tell = useWords(eventWords);
  const [isOpen, setOpen] = useState(false);
  const { event, created_at: at } = delivery;
  return (
    <li className="border-line border-b last:border-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="grid w-full grid-cols-[16px_minmax(0,1fr)_auto] items-start gap-2 px-3 py-2.5 text-left outline-offset-[-2px] hover:bg-hover"
      >
        <ChevronRight
          size={15}
          aria-hidden
          className={classNames("mt-1 text-ink-3 transition-transform", isOpen && "rotate-90")}
        />
        <span className="grid min-w-0 gap-0.5">
          <span className="break-words" title={event}>
            {eventName(tell, event)}
          </span>
          <Result delivery={delivery} />
        </span>
        <span className="grid justify-items-end gap-0.5">
          <DeliveryState state={delivery.state} />
          <span className="text-ink-3 text-xs">
            <RelativeTime at={at} />
          </span>
        </span>
      </button>
      {isOpen ? <Details webhookId={webhookId} delivery={delivery} /> : null}
    </li>
  );
}

function Result({ delivery }: { delivery: Delivery }) {
  const say = useWords(words);
  const { tellProblem } = useSentence();
  const { tries, status, problem, state, next_try_at: next } = delivery;
  const told = [
    say("tries", { count: tries }),
    status === null ? null : say("status", { status: String(status) }),
  ].filter(Boolean);
  return (
    <span className="grid gap-0.5 text-ink-3 text-xs">
      <span>
        {told.join(" · ")}
        {state === "waiting" && next === null ? ` · ${say("whenResumed")}` : null}
        {state === "waiting" && next !== null ? (
          <>
            {` · ${say("nextTry")} `}
            <RelativeTime at={next} />
          </>
        ) : null}
      </span>
      {problem === null || state === "delivered" ? null : (
        <span className="break-words text-bad">{tellProblem(problem)}</span>
      )}
    </span>
  );
}

function Details({ webhookId, delivery }: Props) {
  const say = useWords(words);
  const { tell, tellProblem } = useSentence();
  const again = useCall("POST /operator/webhooks/{id}/deliveries/{delivery}/again", {
    refresh: WEBHOOK_PARTS,
    onDone: after => {
      if (after.state === "delivered") toast(say("arrived", { status: String(after.status ?? "") }));
      else toast(say("notArrived", { problem: tellProblem(problemText(after)) }), { tone: "bad" });
    },
  });
  const send = () =>
    again.mutate(
      { params: { id: webhookId, delivery: delivery.id }, body: {} },
      { onError: error => toast(tell(error), { tone: "bad" }) },
    );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 px-3 pt-2.5 pb-3 pl-9">
      <div className="flex flex-wrap items-center justify-between gap-2 text-ink-2 text-sm">
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <CodeValue value={delivery.id} what="webhook-id" />
          <ExactTime at={delivery.created_at} form="date-time-seconds" />
        </span>
        <Button
          size="sm"
          busy={again.isPending}
          aria-label={say("againOne", { id: delivery.id })}
          onClick={send}
        >
          {say("again")}
        </Button>
      </div>
      <CodeBlock code={prettyBody(delivery.body)} copy={delivery.body} language={say("body")} />
    </div>
  );
}
