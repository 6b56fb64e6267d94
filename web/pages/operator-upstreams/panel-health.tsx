import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { queryOf } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { formatCount, formatDuration } from "../../format/number.ts";
import { BarChart } from "../../parts/bar-chart.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Facts, Part } from "../../parts/facts.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { rateText } from "../operator-overview/figure-text.ts";
import { bucketText } from "../usage/chart-series.ts";
import { ErrorLines, EventLines } from "./health-lines.tsx";
import { Standing } from "./panel-overview.tsx";
import { panelWords } from "./panel-words.ts";
import type { History, Upstream } from "./upstream-reads.ts";

const LIVE_MS = 5000;
const HEIGHT = 120;

export function PanelHealth({ one }: { one: Upstream }) {
  const say = useWords(panelWords);
  const { id } = one;
  const history = useQuery({
    ...queryOf("GET /operator/upstreams/{id}/history", { params: { id } }),
    refetchInterval: LIVE_MS,
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Standing one={one} />
      <Part title={say("today")}>
        <Today one={one} />
        {history.data === undefined ? null : <Hours hours={history.data.hours} />}
      </Part>
      {history.data !== undefined ? (
        <>
          <Part title={say("events")}>
            <EventLines events={history.data.events} />
          </Part>
          <Part title={say("errors")}>
            <ErrorLines errors={history.data.errors} />
          </Part>
        </>
      ) : history.error !== null ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
    </div>
  );
}

function Today({ one }: { one: Upstream }) {
  const say = useWords(panelWords);
  const { language } = say;
  const { health } = one;
  const ms = (value: number | null) => (value === null ? say("none") : formatDuration(value, language));
  return (
    <Facts
      facts={[
        { name: say("requests"), value: formatCount(health.requests, language) },
        {
          name: say("success"),
          value: health.success_rate === null ? say("none") : rateText(health.success_rate, language),
        },
        {
          name: say("speed"),
          value:
            health.tokens_per_second === null
              ? say("none")
              : formatCount(Math.round(health.tokens_per_second), language),
        },
        { name: say("firstByte"), value: ms(health.first_byte_ms) },
        { name: say("firstByteP95"), value: ms(health.first_byte_p95_ms) },
        { name: say("running"), value: formatCount(one.running, language) },
        { name: say("revenue"), value: formatMoney(health.revenue_usd, language) },
        { name: say("ourCost"), value: formatMoney(health.cost_usd, language) },
      ]}
    />
  );
}

function Hours({ hours }: { hours: History["hours"] }) {
  const say = useWords(panelWords);
  const { language } = say;
  const series = useMemo(
    () => [
      {
        id: "answered",
        name: say("answered"),
        values: hours.map(({ requests, failed }) => Math.max(0, requests - failed)),
      },
      { id: "failed", name: say("failed"), values: hours.map(({ failed }) => failed) },
    ],
    [hours, say],
  );
  const label = (at: string, isLong: boolean) => bucketText(at, { bucket: "hour", language, isLong });
  return (
    <div className="relative">
      <BarChart
        title={say("chart")}
        description={say("chartText")}
        labels={hours.map(({ at }) => label(at, true))}
        ticks={hours.map(({ at }) => label(at, false))}
        series={series}
        show={value => (Number.isInteger(value) ? formatCount(value, language) : "")}
        height={HEIGHT}
        bucketName={say("hour")}
      />
      {hours.every(({ requests }) => requests === 0) ? (
        <p className="pointer-events-none absolute inset-x-0 top-12 text-center text-ink-3">
          <span className="bg-panel px-3">{say("chartNone")}</span>
        </p>
      ) : null}
    </div>
  );
}
