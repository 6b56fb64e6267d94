import { Check, CircleAlert, Info, TriangleAlert } from "lucide-react";
import { formatMoney } from "../../format/money.ts";
import { classNames } from "../../parts/class-names.ts";
import { LinkButton } from "../../parts/link-button.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Concern, concernsOf, type Entry } from "./attention-entries.ts";
import { attentionWords } from "./attention-words.ts";

const LOOKS = {
  bad: { Icon: CircleAlert, colour: "text-bad" },
  warn: { Icon: TriangleAlert, colour: "text-warn" },
  info: { Icon: Info, colour: "text-info" },
} as const;

/** What to look at first: what it is, since when, what to do, and the way there. */
export function Attention({ entries }: { entries: readonly Entry[] }) {
  const say = useWords(attentionWords);
  const concerns = concernsOf(entries);
  if (concerns.length === 0) {
    return (
      <p className="panel mb-3.5 flex items-center gap-2.5 px-4 py-3 text-ink-2">
        <Check size={16} className="text-ok" aria-hidden />
        {say("nothing")}
      </p>
    );
  }
  return (
    <section aria-label={say("title")} className="panel mb-3.5">
      <h2 className="px-4 pt-3.5 pb-1.5 font-semibold text-lg">{say("title")}</h2>
      <ul>
        {concerns.map(concern => (
          <Row key={`${concern.kind} ${concern.names.join()} ${concern.figure}`} concern={concern} />
        ))}
      </ul>
    </section>
  );
}

const NAMES_MAX = 3;

function useNames(): (names: readonly string[]) => string {
  const say = useWords(attentionWords);
  return all => {
    const names = all.slice(0, NAMES_MAX).join(", ");
    return all.length > NAMES_MAX ? say("andMore", { names, more: all.length - NAMES_MAX }) : names;
  };
}

function Row({ concern }: { concern: Concern }) {
  const say = useWords(attentionWords);
  const listed = useNames();
  const { kind, gravity, names, count, figure, since, place } = concern;
  const { Icon, colour } = LOOKS[gravity];
  const money = kind === "balance_low" && figure !== "" ? formatMoney(figure, say.language) : figure;
  const title =
    kind === "breaker_open" && figure === "*"
      ? "breaker_open_all"
      : kind === "webhook_failing" && figure === "off"
        ? "webhook_failing_off"
        : kind;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 border-line border-t px-4 py-3 first:border-t-0">
      <Icon size={17} className={classNames("mt-0.5 shrink-0", colour)} aria-hidden />
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-baseline gap-x-2 break-words font-medium [font-feature-settings:'calt'_0]">
          <span className="sr-only">{`${say(gravity)}: `}</span>
          <bdi>{say(title, { name: listed(names), figure: money, count })}</bdi>
          {since === null ? null : (
            <span className="whitespace-nowrap font-normal text-ink-3 text-sm">
              {say.rich("since", { when: <RelativeTime key="when" at={since} /> })}
            </span>
          )}
        </p>
        <p className="text-ink-2 text-sm">{say(`${kind}_do`)}</p>
      </div>
      {place === null || kind === "books_disagree" || kind === "backup_missing" ? null : (
        <LinkButton size="sm" to={place.to} search={place.search}>
          {say(`${kind}_go`)}
        </LinkButton>
      )}
    </li>
  );
}
