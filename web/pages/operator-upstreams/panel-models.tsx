import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Part } from "../../parts/facts.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { panelWords } from "./panel-words.ts";
import type { Upstream } from "./upstream-reads.ts";

const SHOWN_FIRST = 100;
const FIND_FROM = 10;
const cell = "border-line border-b px-3 py-2 text-left align-top break-all";

export function PanelModels({ one, onShow }: { one: Upstream; onShow: (open: Open) => void }) {
  const say = useWords(panelWords);
  const [q, setQ] = useState("");
  const [isAll, setAll] = useState(false);
  const text = q.trim().toLowerCase();
  const found = one.models.filter(({ model, upstream_model }) =>
    `${model}\n${upstream_model}`.toLowerCase().includes(text),
  );
  const shown = isAll ? found : found.slice(0, SHOWN_FIRST);
  const edit = (
    <Button size="sm" onClick={() => onShow({ what: "models", one })}>
      {say("editModels")}
    </Button>
  );
  if (one.models.length === 0) {
    return (
      <EmptyState title={say("noModels")} action={edit}>
        {say("noModelsText")}
      </EmptyState>
    );
  }
  return (
    <Part title={say("modelsCount", { count: one.models.length })} action={edit}>
      {one.models.length < FIND_FROM ? null : (
        <SearchInput value={q} onChange={setQ} label={say("findModel")} />
      )}
      {found.length === 0 ? (
        <p className="text-ink-2">{say("noMatch")}</p>
      ) : (
        <table className="w-full border-collapse rounded-lg border border-line text-sm">
          <thead>
            <tr className="text-ink-3 text-xs">
              <th scope="col" className={`${cell} font-medium`}>
                {say("publicName")}
              </th>
              <th scope="col" className={`${cell} font-medium`}>
                {say("upstreamName")}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ model, upstream_model }) => (
              <tr key={model} className="last:*:border-b-0">
                <td className={`${cell} font-medium`}>
                  <code>{model}</code>
                </td>
                <td className={`${cell} text-ink-2`}>
                  <code>{upstream_model}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shown.length === found.length ? null : (
        <Button size="sm" tone="ghost" onClick={() => setAll(true)}>
          {say("showAll", { count: found.length })}
        </Button>
      )}
    </Part>
  );
}
