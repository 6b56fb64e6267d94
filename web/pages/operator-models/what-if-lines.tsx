import { useState } from "react";
import { formatMoneyShort } from "../../format/money.ts";
import { Segmented } from "../../parts/segmented.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { changeShare } from "./price.ts";
import { shareText } from "./share-text.ts";
import { decimalsFor, type Told } from "./what-if.tsx";
import { whatIfWords } from "./what-if-words.ts";

const LINES = 5;

/** For whom and for what most would change. */
export function WhatIfLines({ told }: { told: Told }) {
  const say = useWords(whatIfWords);
  const { language } = say;
  const money = (usd: string) => formatMoneyShort(usd, language, decimalsFor(told));
  const [by, setBy] = useState<"account" | "model">("account");
  const lines =
    by === "account"
      ? told.by_account.map(({ email, ...sums }) => ({ name: email, ...sums }))
      : told.by_model.map(({ model, ...sums }) => ({ name: model, ...sums }));
  const shown = lines.slice(0, LINES);
  const rest = lines.length - shown.length;
  return (
    <div className="grid gap-1.5">
      <Segmented
        label={say("by")}
        value={by}
        onChange={setBy}
        options={(["account", "model"] as const).map(value => ({ value, label: say(value) }))}
      />
      <table className="w-full text-sm">
        <caption className="sr-only">{say(by)}</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">{say(by)}</th>
            <th scope="col">{say("before")}</th>
            <th scope="col">{say("after")}</th>
            <th scope="col">{say("difference")}</th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {shown.map(({ name, before_usd: before, after_usd: after }) => {
            const share = changeShare(before, after);
            return (
              <tr key={name} className="border-line border-b last:border-0">
                <td className="break-all py-1 pr-2">{name}</td>
                <td className="whitespace-nowrap py-1 pr-2 text-right text-ink-2 phone:hidden">
                  {money(before)}
                </td>
                <td className="whitespace-nowrap py-1 pr-2 text-right">{money(after)}</td>
                <td className="whitespace-nowrap py-1 text-right text-ink-2">
                  {share === null || share === 0 ? say("same") : shareText(share, language)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rest > 0 ? <p className="text-ink-3 text-xs">{say("more", { count: rest })}</p> : null}
    </div>
  );
}
