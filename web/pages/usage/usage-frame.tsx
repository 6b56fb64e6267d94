import { lazy, type ReactNode, Suspense } from "react";
import { useErrorText } from "../../api/error-text.ts";
import { Banner } from "../../parts/banner.tsx";
import { classNames } from "../../parts/class-names.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { ExportMenu } from "./export-menu.tsx";
import type { UsageFilter } from "./filter.ts";
import { type ExportName, useExport } from "./use-export.ts";

const Progress = lazy(async () => ({ default: (await import("./export-progress.tsx")).ExportProgress }));

type Props = {
  title: string;
  description: string;
  /** Whether a receipt stands beside it. */
  isBeside: boolean;
  exporting: { name: ExportName; filter: UsageFilter };
  toolbar: ReactNode;
  summary: { data: unknown; error: unknown; isPlaceholderData: boolean };
  /** What is drawn of the summary, where there is one. */
  figures: ReactNode;
  children: ReactNode;
};

/** As high as the chart, so that nothing moves when it comes. */
export function ChartWaiting() {
  return <Skeleton className="mb-3.5 h-[272px] w-full" />;
}

/** A page of usage: what it can be narrowed by, its figures, and its list. */
export function UsageFrame(props: Props) {
  const tell = useErrorText();
  const exporting = useExport(props.exporting.name, props.exporting.filter);
  const { summary } = props;
  return (
    <div
      className={classNames(props.isBeside && "xl:pr-[416px] min-[1920px]:pr-0")}
      aria-busy={summary.isPlaceholderData}
    >
      <PageHeader
        title={props.title}
        description={props.description}
        actions={<ExportMenu onExport={exporting.start} isRunning={exporting.state?.phase === "running"} />}
      />
      {props.toolbar}
      {exporting.state === null ? null : (
        <Suspense fallback={null}>
          <Progress
            state={exporting.state}
            onCancel={exporting.cancel}
            onDismiss={exporting.dismiss}
            onStart={exporting.start}
          />
        </Suspense>
      )}
      {summary.error !== null && summary.data === undefined ? (
        <Banner tone="bad" className="mb-3.5">
          {tell(summary.error)}
        </Banner>
      ) : (
        props.figures
      )}
      {props.children}
    </div>
  );
}
