import { useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useErrorText } from "../../api/error-text.ts";
import { useHouse } from "../../api/house.ts";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { CheckForm, type Settings } from "./check-form.tsx";
import { CheckSteps, type Step } from "./check-steps.tsx";
import { words } from "./words.ts";

export function Page() {
  const say = useWords(words);
  const tell = useErrorText();
  const search = useSearch({ from: "/either/check" });
  const [settings, setSettings] = useState<Settings>({
    ...{ base_url: "", key: "", model: search.model ?? "", style: search.style ?? "openai" },
  });
  const [checked, setChecked] = useState<{ steps: Step[]; settings: Settings } | null>(null);
  const check = useCall("POST /check", {
    onDone: ({ steps }, { body }) => setChecked({ steps, settings: body }),
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (checked !== null) heading.current?.focus({ preventScroll: false });
  }, [checked]);
  const isOld = checked !== null && !isSame(checked.settings, settings);
  return (
    <>
      <PageHeader title={say("title")} description={say("description")} />
      <div className="grid max-w-[920px] gap-3.5">
        <CheckForm
          settings={settings}
          onChange={part => setSettings(before => ({ ...before, ...part }))}
          onSubmit={() => check.mutate({ body: settings })}
          isBusy={check.isPending}
          hasResult={checked !== null}
        />
        {check.error === null ? null : <Banner tone="bad">{tell(check.error)}</Banner>}
        {checked === null ? (
          <WhatGoesWhere />
        ) : (
          <section className="grid gap-3" aria-busy={check.isPending}>
            <h2 ref={heading} tabIndex={-1} className="sr-only">
              {say("result")}
            </h2>
            {isOld ? <Banner tone="quiet">{say("changed")}</Banner> : <Verdict {...checked} />}
            <CheckSteps steps={checked.steps} settings={checked.settings} />
          </section>
        )}
      </div>
    </>
  );
}

function isSame(a: Settings, b: Settings): boolean {
  return a.base_url === b.base_url && a.key === b.key && a.model === b.model && a.style === b.style;
}

function Verdict({ steps, settings }: { steps: readonly Step[]; settings: Settings }) {
  const say = useWords(words);
  const wrong = steps.filter(({ outcome }) => outcome === "failed").length;
  if (wrong > 0) {
    return (
      <Banner tone="bad" title={say("oneWrong", { count: wrong })}>
        {say("wrongText")}
      </Banner>
    );
  }
  const hasModel = settings.model.trim() !== "";
  return (
    <Banner tone="ok" title={say(hasModel ? "allGood" : "goodSoFar")}>
      {say(hasModel ? "allGoodText" : "goodSoFarText")}
    </Banner>
  );
}

/** Before anything was checked: what it should look like. */
function WhatGoesWhere() {
  const say = useWords(words);
  const { data: house } = useHouse();
  if (house === undefined) return null;
  return (
    <section className="panel px-[18px] py-3.5 phone:px-3.5">
      <h2 className="font-semibold text-lg">{say("tips")}</h2>
      <dl className="mt-2 grid gap-x-6 gap-y-2 md:grid-cols-2">
        <div>
          <dt className="text-ink-3 text-xs">{say("tipsOpenai")}</dt>
          <dd>
            <CodeValue value={house.openai_base_url} what={say("tipsOpenai")} />
          </dd>
        </div>
        <div>
          <dt className="text-ink-3 text-xs">{say("tipsMessages")}</dt>
          <dd>
            <CodeValue value={house.messages_address} what={say("tipsMessages")} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
