import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ReceiptFacts } from "./receipt-facts.tsx";
import { ReceiptBody, ReceiptFrame } from "./receipt-frame.tsx";
import { NextSteps, ReceiptRefusal } from "./receipt-refusal.tsx";
import type { Receipt } from "./receipt-sum.tsx";
import { receiptWords } from "./receipt-words.ts";
import type { ReceiptGiven } from "./usage-list.tsx";

const RUNNING_MS = 2000;

/** A receipt is asked for again while its request still runs. */
export function followed({ state }: { state: { data?: Receipt | undefined } }): number | false {
  return state.data?.row.outcome === "running" ? RUNNING_MS : false;
}

/** What one request cost and why, beside the list; it follows a request that still runs. */
export function ReceiptPanel(given: ReceiptGiven) {
  const say = useWords(receiptWords);
  const receipt = useQuery({
    ...queryOf("GET /usage/{id}", { params: { id: given.id } }),
    placeholderData: keepPreviousData,
    refetchInterval: followed,
  });
  return (
    <ReceiptFrame given={given} receipt={receipt} notFoundText={say("notFoundText")}>
      {found => <Found receipt={found} repeated={given.repeated} />}
    </ReceiptFrame>
  );
}

function Found({ receipt, repeated }: { receipt: Receipt; repeated: ReceiptGiven["repeated"] }) {
  const say = useWords(receiptWords);
  const { row, refusal } = receipt;
  return (
    <ReceiptBody
      receipt={receipt}
      refusal={
        refusal === null ? null : (
          <ReceiptRefusal refusal={refusal} next={<NextSteps refusal={refusal} row={row} />} />
        )
      }
    >
      <ReceiptFacts
        receipt={receipt}
        repeated={repeated}
        keyLink={
          <TextLink to="/usage" search={{ key: row.key.id }} title={say("onlyKey")} resetScroll={false}>
            {row.key.name}
          </TextLink>
        }
        modelLink={
          <TextLink to="/usage" search={{ model: row.model }} title={say("onlyModel")} resetScroll={false}>
            <code className="break-all">{row.model}</code>
          </TextLink>
        }
      />
    </ReceiptBody>
  );
}
