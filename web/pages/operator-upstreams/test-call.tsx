import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { formatDuration } from "../../format/number.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Combobox } from "../../parts/combobox.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { panelWords } from "./panel-words.ts";
import { sentenceIn, useSentence } from "./sentences.ts";
import type { Upstream } from "./upstream-reads.ts";

/** One request to it, with the answer as it came. */
export function TestCall({ one }: { one: Upstream }) {
  const say = useWords(panelWords);
  const [model, setModel] = useState<string | null>(one.models[0]?.model ?? null);
  const test = useCall("POST /operator/upstreams/{id}/test");
  const send = () => test.mutate({ params: { id: one.id }, body: model === null ? {} : { model } });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      <p className="text-ink-2">{say("testText")}</p>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-48 flex-1">
          <Combobox
            mono
            clearable={false}
            label={say("testModel")}
            value={model}
            onChange={setModel}
            options={one.models.map(({ model: value }) => ({ value, label: value }))}
          />
        </div>
        <Button busy={test.isPending} disabled={one.models.length === 0} onClick={send}>
          {say(test.data === undefined ? "testSend" : "testAgain")}
        </Button>
      </div>
      <TestResult name={one.name} test={test} />
    </div>
  );
}

type Test = ReturnType<typeof useCall<"POST /operator/upstreams/{id}/test">>;

export function TestResult({
  name,
  test,
}: {
  name: string;
  test: Pick<Test, "data" | "error" | "isPending">;
}) {
  const say = useWords(panelWords);
  const tell = useSentence();
  const { language } = say;
  return (
    <div aria-live="polite" className="empty:hidden">
      {test.isPending ? (
        <p className="text-ink-2">{say("testing", { name })}</p>
      ) : test.error !== null ? (
        <Banner tone="bad">{tell(test.error)}</Banner>
      ) : test.data === undefined ? null : test.data.ok ? (
        <Banner tone="ok" title={say("testOk")}>
          <p className="text-sm">
            <code>{test.data.model}</code>
            {" · "}
            {say("testTimes", {
              first: formatDuration(test.data.first_byte_ms ?? test.data.duration_ms, language),
              whole: formatDuration(test.data.duration_ms, language),
            })}
          </p>
          <Answer text={test.data.answer} />
        </Banner>
      ) : (
        <Banner tone="warn" title={say("testBad")}>
          <p className="break-words">{sentenceIn(test.data.problem ?? "", language)}</p>
          {test.data.answer === null ? null : <Answer text={test.data.answer} />}
        </Banner>
      )}
    </div>
  );
}

function Answer({ text }: { text: string | null }) {
  const say = useWords(panelWords);
  if (text === null || text === "") return <p className="mt-1 text-ink-3">{say("testAnswerNone")}</p>;
  return (
    <blockquote
      aria-label={say("testAnswer")}
      dir="auto"
      className="mt-1.5 max-h-40 overflow-y-auto whitespace-pre-wrap break-words rounded-md border border-line bg-panel px-3 py-2 text-ink"
    >
      {text}
    </blockquote>
  );
}
