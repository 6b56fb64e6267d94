import { ChartColumn, Table } from "lucide-react";
import { useMemo, useState } from "react";
import { BarChart } from "../../parts/bar-chart.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { bucketText } from "../usage/chart-series.ts";
import { type Drawn, drawnMoney, drawnRequests } from "./chart-data.ts";
import type { Overview } from "./use-overview.ts";
import { words } from "./words.ts";

const HEIGHT = 148;

export function Charts({ overview }: { overview: Overview | undefined }) {
  const say = useWords(words);
  const { language } = say;
  const requests = useMemo(() => {
    const names = { answered: say("answered"), errors: say("errors") };
    return overview === undefined ? null : drawnRequests(overview, { language, names });
  }, [overview, language, say]);
  const money = useMemo(() => {
    const names = { cost: say("cost"), margin: say("margin") };
    return overview === undefined ? null : drawnMoney(overview, { language, names });
  }, [overview, language, say]);
  const [asTable, setAsTable] = useState(false);
  const shared = { overview, asTable, onTable: () => setAsTable(!asTable) };
  return (
    <div className="mb-3.5 grid grid-cols-[minmax(0,1fr)] gap-3.5 lg:grid-cols-2">
      <Chart {...shared} title={say("chartRequests")} text={say("chartRequestsText")} drawn={requests} />
      <Chart {...shared} title={say("chartMoney")} text={say("chartMoneyText")} drawn={money} />
    </div>
  );
}

type ChartProps = {
  overview: Overview | undefined;
  drawn: Drawn | null;
  title: string;
  text: string;
  asTable: boolean;
  onTable: () => void;
};

function Chart({ overview, drawn, title, text, asTable, onTable }: ChartProps) {
  const say = useWords(words);
  const Icon = asTable ? ChartColumn : Table;
  return (
    <Panel
      title={title}
      actions={
        <IconButton
          label={`${title}: ${say(asTable ? "asChart" : "asTable")}`}
          icon={<Icon size={16} aria-hidden />}
          pressed={asTable}
          onClick={onTable}
        />
      }
    >
      {overview === undefined || drawn === null ? (
        <Skeleton className="h-[168px] w-full" />
      ) : (
        <Bars overview={overview} drawn={drawn} title={title} text={text} asTable={asTable} />
      )}
    </Panel>
  );
}

type BarsProps = { overview: Overview; drawn: Drawn; title: string; text: string; asTable: boolean };

function Bars({ overview, drawn, title, text, asTable }: BarsProps) {
  const say = useWords(words);
  const { language } = say;
  const { bucket, buckets } = overview;
  const isElsewhere = bucket === "day" && new Date(buckets[0] ?? 0).getTimezoneOffset() !== 0;
  const label = (at: string, isLong: boolean) => bucketText(at, { bucket, language, isLong });
  return (
    <div className="relative">
      <BarChart
        title={title}
        description={text}
        labels={buckets.map(at => label(at, true))}
        ticks={buckets.map(at => label(at, false))}
        series={drawn.series}
        show={drawn.show}
        totalText={drawn.totalText}
        height={HEIGHT}
        asTable={asTable}
        {...(bucket === "hour" ? { bucketName: say("hour") } : {})}
      />
      {drawn.isEmpty && !asTable ? (
        <p className="pointer-events-none absolute inset-x-0 top-[62px] text-center text-ink-3">
          <span className="bg-panel px-3">{say("chartNone")}</span>
        </p>
      ) : null}
      {isElsewhere ? <p className="mt-1 text-ink-3 text-xs">{say("utcDays")}</p> : null}
    </div>
  );
}
