import { formatTime, type TimeForm } from "../format/time.ts";
import { useLanguage } from "../words/language-provider.tsx";

export function ExactTime({ at, form = "date-time" }: { at: string; form?: TimeForm }) {
  const { language } = useLanguage();
  return (
    <time
      dateTime={at}
      title={formatTime(at, language, "date-time-seconds")}
      className="whitespace-nowrap tabular-nums"
    >
      {formatTime(at, language, form)}
    </time>
  );
}
