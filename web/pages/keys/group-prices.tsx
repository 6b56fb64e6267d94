import { useState } from "react";
import { formatPrice } from "../../format/money.ts";
import { useWords } from "../../words/language-provider.tsx";
import { Disclosure } from "./disclosure.tsx";
import type { Group } from "./draft.ts";
import { formWords } from "./form-words.ts";

const cellClass = "py-1 pl-3 text-right tabular-nums whitespace-nowrap";

/** Every model of the group with what it costs there. */
export function GroupPrices({ group }: { group: Group }) {
  const say = useWords(formWords);
  const [open, setOpen] = useState(false);
  const price = (usd: string) => formatPrice(usd, say.language);
  return (
    <Disclosure look="plain" title={say("showPrices", { group: group.name })} open={open} onToggle={setOpen}>
      {open ? (
        <div className="max-h-64 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2">
          <table className="w-full text-sm">
            <caption className="pb-1.5 text-left text-ink-3 text-xs">
              {say("perMillion", { multiplier: group.multiplier })}
            </caption>
            <thead>
              <tr className="text-ink-3 text-xs">
                <th scope="col" className="py-1 text-left font-medium">
                  {say("model")}
                </th>
                <th scope="col" className={`${cellClass} font-medium`}>
                  {say("input")}
                </th>
                <th scope="col" className={`${cellClass} font-medium`}>
                  {say("output")}
                </th>
                <th scope="col" className={`${cellClass} font-medium phone:hidden`}>
                  {say("cacheRead")}
                </th>
              </tr>
            </thead>
            <tbody>
              {group.models.map(model => (
                <tr key={model.name} className="border-line border-t">
                  <th scope="row" className="py-1 text-left font-normal">
                    <code className="break-all">{model.name}</code>
                  </th>
                  <td className={cellClass}>{price(model.price.input)}</td>
                  <td className={cellClass}>{price(model.price.output)}</td>
                  <td className={`${cellClass} phone:hidden`}>{price(model.price.cache_read)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </Disclosure>
  );
}
