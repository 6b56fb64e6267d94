import { useCall } from "../../api/query.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "./sentences.ts";
import { problemText, WEBHOOK_PARTS, type Webhook } from "./webhook.ts";
import { words } from "./words.ts";

/** What is done at once, without a dialog. */
export function useActions(webhook: Webhook) {
  const say = useWords(words);
  const { tell, tellProblem } = useSentence();
  const { id, name, enabled } = webhook;
  const failed = (error: unknown) => toast(tell(error), { tone: "bad" });
  const test = useCall("POST /operator/webhooks/{id}/test", {
    refresh: WEBHOOK_PARTS,
    onDone: delivery => {
      if (delivery.state === "delivered") toast(say("tested", { status: delivery.status ?? 0 }));
      else toast(say("testFailed", { problem: tellProblem(problemText(delivery)) }), { tone: "bad" });
    },
  });
  const change = useCall("PATCH /operator/webhooks/{id}", {
    refresh: WEBHOOK_PARTS,
    onDone: after => toast(say(after.enabled ? "resumedToast" : "pausedToast", { name })),
  });
  return {
    test: () => test.mutate({ params: { id }, body: {} }, { onError: failed }),
    isTesting: test.isPending,
    pause: () => change.mutate({ params: { id }, body: { enabled: !enabled } }, { onError: failed }),
    isPausing: change.isPending,
  };
}
