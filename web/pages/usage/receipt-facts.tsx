import type { ReactNode } from "react";
import { formatCount, formatDuration } from "../../format/number.ts";
import { formatTime } from "../../format/time.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Receipt } from "./receipt-sum.tsx";
import { receiptWords } from "./receipt-words.ts";
import { useDialectText } from "./row-cells.tsx";

type Props = {
  receipt: Receipt;
  repeated: Receipt["row"]["repeated"];
  /** The key and the model, as links to what else there is of them. */
  keyLink: ReactNode;
  modelLink: ReactNode;
  /** What stands before the key. */
  children?: ReactNode;
};

export function ReceiptFacts({ receipt, repeated, keyLink, modelLink, children }: Props) {
  const say = useWords(receiptWords);
  const dialect = useDialectText();
  const { language } = say;
  const { row } = receipt;
  const lasted = (ms: number | null) => (ms === null ? null : formatDuration(ms, language));
  return (
    <section aria-label={say("facts")}>
      <h3 className="mb-1 font-medium text-ink-3 text-xs">{say("facts")}</h3>
      <dl className="grid">
        <Fact name={say("time")}>
          <ExactTime at={row.at} form="date-time-seconds" />
        </Fact>
        {children}
        <Fact name={say("key")}>
          <span dir="auto" className="min-w-0 break-words">
            {keyLink}
          </span>
        </Fact>
        <Fact name={say("model")}>
          <span className="inline-flex min-w-0 items-center gap-1">
            {modelLink}
            <CopyButton text={row.model} what={say("model")} iconOnly />
          </span>
        </Fact>
        <Fact name={say("dialect")}>{dialect(row)}</Fact>
        {repeated === null ? null : (
          <Fact name={say("repeated")}>
            {say("repeatedTimes", {
              count: repeated.count,
              time: formatTime(repeated.since, language, "date-time-seconds"),
            })}
          </Fact>
        )}
        <Fact name={say("tool")}>{row.tool === "" ? say("unknown") : row.tool}</Fact>
        {receipt.agent === "" || receipt.agent === row.tool ? null : (
          <Fact name={say("agent")}>
            <code className="break-all text-xs">{receipt.agent}</code>
          </Fact>
        )}
        {row.address === "" ? null : <Fact name={say("address")}>{row.address}</Fact>}
        {row.status === null ? null : <Fact name={say("httpStatus")}>{row.status}</Fact>}
        <Fact name={say("firstByte")}>{lasted(row.first_byte_ms)}</Fact>
        <Fact name={say("duration")}>{lasted(row.duration_ms)}</Fact>
        {row.tokens.reasoning === 0 ? null : (
          <Fact name={say("reasoning")}>
            {say("reasoningOf", { count: formatCount(row.tokens.reasoning, language) })}
          </Fact>
        )}
        {receipt.price_version === null ? null : (
          <Fact name={say("priceSince")}>
            <ExactTime at={receipt.price_version.since} />
          </Fact>
        )}
      </dl>
    </section>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null) return null;
  return (
    <div className="grid grid-cols-[112px_minmax(0,1fr)] items-center gap-3 border-line border-b py-1.5 last:border-b-0">
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
