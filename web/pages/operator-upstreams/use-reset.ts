import { useCall } from "../../api/query.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { panelWords } from "./panel-words.ts";
import { useSentence } from "./sentences.ts";
import { UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";

/** Wakes what rests: every instance sees it within a moment. */
export function useReset() {
  const say = useWords(panelWords);
  const tell = useSentence();
  const call = useCall("POST /operator/upstreams/{id}/reset", { refresh: UPSTREAM_READS });
  const send = ({ id, name }: Upstream) =>
    call.mutate(
      { params: { id }, body: {} },
      {
        onSuccess: () => toast(say("resetDone", { name })),
        onError: error => toast(tell(error), { tone: "bad" }),
      },
    );
  return { send, isPending: call.isPending };
}
