import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useHouse } from "../../api/house.ts";
import { queryOf } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { formatCount, formatDuration } from "../../format/number.ts";
import { Banner } from "../../parts/banner.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { curlOf, PATHS } from "./draft.ts";
import type { Run } from "./use-try.ts";
import { words } from "./words.ts";

const RECEIPT_MS = 700;
const RECEIPT_TRIES_MAX = 8;

/** Tokens and cost as they are booked; the row is written a moment after the answer ends. */
function useReceipt(run: Run) {
  const id = run.requestId ?? "";
  const isOver = run.phase !== "waiting" && run.phase !== "running";
  return useQuery({
    ...queryOf("GET /usage/{id}", { params: { id } }),
    enabled: id !== "" && isOver,
    staleTime: 0,
    retry: (count, error) =>
      error instanceof ApiError && error.code === "not_found" && count < RECEIPT_TRIES_MAX,
    retryDelay: RECEIPT_MS,
    refetchInterval: ({ state }) => (state.data?.row.outcome === "running" ? RECEIPT_MS : false),
  });
}

export function AnswerView({ run }: { run: Run }) {
  const say = useWords(words);
  const [tab, setTab] = useState<"answer" | "request" | "response">("answer");
  const house = useHouse();
  const place = useRef<HTMLElement>(null);
  const { asked } = run;
  // On a phone it stands below the form.
  useEffect(() => {
    if (asked !== undefined) place.current?.scrollIntoView({ block: "nearest" });
  }, [asked]);
  const root = (house.data?.openai_base_url ?? "").replace(/\/v1$/, "");
  const { dialect, body } = run.asked;
  return (
    <section
      ref={place}
      aria-label={say("answer")}
      className="panel scroll-mt-16 scroll-mb-24 grid grid-cols-[minmax(0,1fr)] gap-3 p-4"
    >
      <Facts run={run} />
      <Tabs
        label={say("views")}
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "answer", label: say("answer"), content: <Said run={run} /> },
          {
            value: "request",
            label: say("rawRequest"),
            content: (
              <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
                <CodeBlock code={body} file={`POST ${PATHS[dialect]}`} />
                <CodeBlock code={curlOf({ root, dialect, body })} language="bash" />
              </div>
            ),
          },
          { value: "response", label: say("rawResponse"), content: <Raw run={run} /> },
        ]}
      />
    </section>
  );
}

const TONES: Record<Run["phase"], PillTone> = {
  waiting: "info",
  running: "info",
  done: "ok",
  stopped: "quiet",
  failed: "bad",
};

function Facts({ run }: { run: Run }) {
  const say = useWords(words);
  const { language } = say;
  const receipt = useReceipt(run).data;
  const isRefused = run.refusal !== null;
  const tokens = receipt?.row.tokens;
  const facts = [
    { name: say("status"), value: run.status === null ? null : String(run.status) },
    {
      name: say("firstByte"),
      value: run.firstByteMs === null ? null : formatDuration(run.firstByteMs, language),
    },
    {
      name: say("duration"),
      value: run.durationMs === null ? null : formatDuration(run.durationMs, language),
    },
    {
      name: say("tokens"),
      value:
        tokens === undefined
          ? null
          : say("inAndOut", {
              input: formatCount(tokens.input + tokens.cache_read + tokens.cache_write, language),
              output: formatCount(tokens.output, language),
            }),
    },
    { name: say("cost"), value: receipt === undefined ? null : formatMoney(receipt.cost_usd, language) },
  ];
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
      <span role="status">
        <Pill
          tone={isRefused ? "bad" : TONES[run.phase]}
          pulse={run.phase === "running" || run.phase === "waiting"}
        >
          {say(isRefused ? "refused" : run.phase)}
        </Pill>
      </span>
      <dl className="flex flex-wrap gap-x-5 gap-y-1">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt className="text-ink-3 text-xs">{name}</dt>
            <dd className="font-medium text-sm tabular-nums">{value ?? "–"}</dd>
          </div>
        ))}
      </dl>
      {receipt === undefined ? null : (
        <TextLink to="/usage" search={{ receipt: receipt.row.id }} className="text-sm">
          {say("receipt")}
        </TextLink>
      )}
    </div>
  );
}

function Said({ run }: { run: Run }) {
  const say = useWords(words);
  const tell = useErrorText();
  const { text, thinking } = run.said;
  const isOver = run.phase !== "waiting" && run.phase !== "running";
  // A closed question who is there is an answer too; the form is still as it was.
  const isLeft = run.error instanceof ApiError && run.error.code === "recent_sign_in_needed";
  return (
    <div className="grid min-h-48 grid-cols-[minmax(0,1fr)] content-start gap-3">
      {run.phase === "failed" ? (
        <Banner tone={isLeft ? "quiet" : "bad"}>{isLeft ? say("notProved") : tell(run.error)}</Banner>
      ) : null}
      {run.refusal === null ? null : (
        <Banner tone="bad" title={say("refusedWith", { status: String(run.status) })}>
          <span dir="auto" className="whitespace-pre-wrap break-words">
            {run.refusal}
          </span>
        </Banner>
      )}
      {thinking === "" ? null : (
        <details className="rounded-lg border border-line bg-sunken px-3 py-2">
          <summary className="cursor-pointer text-ink-2 text-sm">{say("thinking")}</summary>
          <p dir="auto" className="mt-2 whitespace-pre-wrap break-words text-ink-2 text-sm">
            {thinking}
          </p>
        </details>
      )}
      {text === "" ? (
        run.refusal === null && run.phase !== "failed" ? (
          <p className="text-ink-3">{say(isOver ? "noText" : "comes")}</p>
        ) : null
      ) : (
        <>
          <p dir="auto" className="whitespace-pre-wrap break-words leading-[1.65]">
            {text}
          </p>
          {isOver ? (
            <span>
              <CopyButton text={text} what={say("answer")} />
            </span>
          ) : null}
        </>
      )}
    </div>
  );
}

/** Of the console itself, around every answer of its API; a client of the gateway never sees them. */
const CONSOLE_HEADERS =
  /^(content-security-policy|cross-origin-|permissions-policy|referrer-policy|x-content-type-options|x-frame-options|x-answered-by)/;

function Raw({ run }: { run: Run }) {
  const say = useWords(words);
  if (run.status === null)
    return <p className="text-ink-3">{say(run.phase === "waiting" ? "comes" : "noResponse")}</p>;
  const head = run.headers
    .filter(([name]) => !CONSOLE_HEADERS.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <CodeBlock code={`HTTP ${run.status}\n${head}`} language={say("headers")} />
      <CodeBlock code={run.raw} language={say("bodyRaw")} />
    </div>
  );
}
