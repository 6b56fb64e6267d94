import { useNow } from "../format/clock.ts";
import { formatRelative, formatTime } from "../format/time.ts";
import { useLanguage } from "../words/language-provider.tsx";

/** “12 sec ago”, going on by itself; the exact time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const { language } = useLanguage();
  const now = useNow(at);
  return (
    <time dateTime={at} title={formatTime(at, language, "date-time-seconds")} className="whitespace-nowrap">
      {formatRelative(at, now, language)}
    </time>
  );
}
