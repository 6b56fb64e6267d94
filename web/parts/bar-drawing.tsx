import { layBars, type Series, scaleOf } from "./bar-geometry.ts";
import { seriesColour } from "./series-colour.ts";

type Props = {
  series: readonly Series[];
  buckets: number;
  /** How far it reaches up and down from zero. */
  reach: { top: number; bottom: number };
  height: number;
  /** The bar that is looked at. */
  at: number | null;
  restId?: string;
};

const WIDTH = 1000;

/** The bars alone; their figures are said by what stands around them. */
export function BarDrawing({ series, buckets, reach, height, at, restId }: Props) {
  const step = WIDTH / Math.max(1, buckets);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      aria-hidden
      className="block w-full"
      style={{ height }}
    >
      {scaleOf(reach).map(({ share }) => (
        <line
          key={share}
          x1={0}
          x2={WIDTH}
          y1={height * share}
          y2={height * share}
          stroke="var(--line)"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {at === null ? null : <rect x={at * step} y={0} width={step} height={height} fill="var(--hover)" />}
      {layBars({ series, buckets, width: WIDTH, height, ...reach }).map(bar => (
        <rect
          key={`${bar.series}-${bar.bucket}`}
          x={bar.x}
          y={bar.y}
          width={bar.width}
          height={bar.height}
          fill={seriesColour(bar.series, series[bar.series]?.id === restId)}
        />
      ))}
    </svg>
  );
}
