import { formatCount } from "../../format/number.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Facts, Part } from "../../parts/facts.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { panelWords } from "./panel-words.ts";
import { TestCall } from "./test-call.tsx";
import type { Upstream } from "./upstream-reads.ts";
import { isResting } from "./upstream-state.ts";
import { useReset } from "./use-reset.ts";
import { useWhy } from "./why-text.ts";

type Props = { one: Upstream; onShow: (open: Open) => void };

export function PanelOverview({ one, onShow }: Props) {
  const say = useWords(panelWords);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Standing one={one} />
      <SetUp one={one} onShow={onShow} />
      <Part title={say("test")}>
        <TestCall one={one} />
      </Part>
    </div>
  );
}

/** What holds it back, and the way out of it. */
export function Standing({ one }: { one: Upstream }) {
  const say = useWords(panelWords);
  const tellWhy = useWhy();
  const reset = useReset();
  const rejected = one.credentials.filter(({ state }) => state === "rejected");
  const keys = one.credentials.filter(({ state }) => state !== "ok");
  const lines = [
    ...one.resting.map(({ model, since, until, why }) => ({
      ...{ what: model === "*" ? say("restsAll") : model, since, until, why },
    })),
    ...keys.map(({ label, since, until, why }) => ({
      ...{ what: say("keyNamed", { label }), since, until, why: why ?? "" },
    })),
  ];
  return (
    <div className="grid gap-2 empty:hidden">
      {one.is_paused ? (
        <Banner tone="quiet" title={say("isPaused")}>
          {say("isPausedText")}
        </Banner>
      ) : null}
      {isResting(one) ? (
        <Banner
          tone="warn"
          title={say(rejected.length > 0 ? "rejects" : "rests")}
          action={
            <Button size="sm" busy={reset.isPending} onClick={() => reset.send(one)}>
              {say("reset")}
            </Button>
          }
        >
          <p>{say(rejected.length > 0 ? "rejectsText" : "restsText")}</p>
          <ul className="mt-1 grid gap-0.5 text-sm">
            {lines.map(({ what, since, until, why }) => (
              <li key={what} className="break-words">
                <bdi>{say("restsFor", { model: what, why: tellWhy(why) })}</bdi>
                <span className="text-ink-3">
                  {since === null ? null : (
                    <> · {say.rich("since", { when: <RelativeTime key="since" at={since} /> })}</>
                  )}
                  {until === null ? null : (
                    <> · {say.rich("until", { when: <ExactTime key="until" at={until} form="time" /> })}</>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </Banner>
      ) : null}
    </div>
  );
}

function SetUp({ one, onShow }: Props) {
  const say = useWords(panelWords);
  const { language } = say;
  return (
    <Part
      title={say("setUp")}
      action={
        <Button size="sm" onClick={() => onShow({ what: "edit", one })}>
          {say("edit")}
        </Button>
      }
    >
      <Facts
        facts={[
          { name: say("kind"), value: one.kind },
          {
            name: say("address"),
            value: <bdi className="break-all">{one.base_url ?? say("builtIn")}</bdi>,
          },
          {
            name: say("speaks"),
            value: (
              <span className="flex flex-wrap gap-1">
                {one.speaks.map(dialect => (
                  <Tag key={dialect}>{dialect}</Tag>
                ))}
              </span>
            ),
          },
          { name: say("priority"), value: formatCount(one.priority, language) },
          { name: say("weight"), value: formatCount(one.weight, language) },
          {
            name: say("concurrency"),
            value: one.max_concurrency === null ? say("noLimit") : formatCount(one.max_concurrency, language),
          },
          {
            name: say("probe"),
            value:
              one.probe_minutes === null
                ? say("probeOff")
                : say("probeMinutes", { count: one.probe_minutes }),
          },
          { name: say("cost"), value: say("costOf", { times: `×${one.cost_multiplier}` }) },
          { name: say("running"), value: formatCount(one.running, language) },
        ]}
      />
    </Part>
  );
}
