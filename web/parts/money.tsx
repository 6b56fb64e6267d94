import { formatMoney, formatMoneyShort } from "../format/money.ts";
import { useLanguage } from "../words/language-provider.tsx";

type Props = {
  /** Decimal text, as the server gave it. */
  usd: string;
  /** Rounded to so many decimals, with the exact amount on hover. Without it: exact, four decimals or more. */
  decimals?: number;
  /** For a large figure: exact, with the digits beyond the fourth decimal small, so that they fit on a phone. */
  isFigure?: boolean;
};

const BEYOND = /^(.*\.\d{4})(\d+)$/;

export function Money({ usd, decimals, isFigure }: Props) {
  const { language } = useLanguage();
  const exact = formatMoney(usd, language);
  const text = decimals === undefined ? exact : formatMoneyShort(usd, language, decimals);
  const [, head, beyond] = (isFigure && BEYOND.exec(text)) || [];
  if (head !== undefined) {
    return (
      <span className="whitespace-nowrap tabular-nums">
        {head}
        <span className="font-normal text-[0.6em] text-ink-3 tracking-normal">{beyond}</span>
      </span>
    );
  }
  return (
    <span className="whitespace-nowrap tabular-nums" title={text === exact ? undefined : exact}>
      {text}
    </span>
  );
}
