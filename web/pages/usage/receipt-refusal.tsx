import type { ReactNode } from "react";
import { Banner } from "../../parts/banner.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { useRefusalText } from "../../refusals/refusal-text.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Receipt } from "./receipt-sum.tsx";
import { receiptWords } from "./receipt-words.ts";

type Refusal = NonNullable<Receipt["refusal"]>;

/** Why it ended as it did, what to do, and, where whoever looks can do it, the pages where that is done. */
export function ReceiptRefusal({ refusal, next }: { refusal: Refusal; next?: ReactNode }) {
  const say = useWords(receiptWords);
  const tell = useRefusalText();
  if (refusal.reason === "client_left") {
    return (
      <Banner tone="quiet" title={say("stoppedTitle")}>
        {say("stoppedText")} {say("stoppedRemedy")}
      </Banner>
    );
  }
  if (refusal.reason === "interrupted") {
    return (
      <Banner tone="bad" title={say("interruptedTitle")}>
        {say("interruptedText")} {say("interruptedRemedy")}
      </Banner>
    );
  }
  const { message, remedy } = tell(refusal);
  return (
    <div className="grid gap-2.5">
      <Banner tone="bad" title={message}>
        {remedy}
      </Banner>
      {next}
    </div>
  );
}

export function NextSteps({ refusal, row }: { refusal: Refusal; row: Receipt["row"] }) {
  const say = useWords(receiptWords);
  return (
    <div className="flex flex-wrap gap-2">
      <LinkButton
        to="/check"
        search={{ model: row.model, style: row.operation === "messages" ? "messages" : "openai" }}
        size="sm"
      >
        {say("checkConnection")}
      </LinkButton>
      <NextStep refusal={refusal} keyId={row.key.id} />
    </div>
  );
}

function NextStep({ refusal, keyId }: { refusal: Refusal; keyId: string }) {
  const say = useWords(receiptWords);
  const { cause, reason } = refusal;
  if (reason === "balance_exhausted" || reason === "subscription_exhausted") {
    return (
      <LinkButton to="/account" size="sm">
        {say("seeAccount")}
      </LinkButton>
    );
  }
  if (reason === "key_deleted" || cause === "incomplete_key") {
    return (
      <LinkButton to="/keys" size="sm">
        {say("seeKeys")}
      </LinkButton>
    );
  }
  const isOfKey = cause === "key_state" || cause === "limits" || reason === "key_quota_exhausted";
  if (isOfKey && reason !== "account_disabled") {
    return (
      <LinkButton to="/keys" search={{ show: "edit", key: keyId }} size="sm">
        {say("editKey")}
      </LinkButton>
    );
  }
  if (cause !== "group_unavailable") return null;
  return (
    <LinkButton to="/models" size="sm">
      {say("seeModels")}
    </LinkButton>
  );
}
