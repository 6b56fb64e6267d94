import { Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { changeWords } from "./change-words.ts";
import type { Pair } from "./model-lines.ts";
import { sentenceIn, useSentence } from "./sentences.ts";
import type { Upstream } from "./upstream-reads.ts";

const SHOWN_MAX = 40;
const FIND_FROM = 8;

type Props = { one: Upstream; pairs: readonly Pair[]; onAdd: (names: readonly string[]) => void };

/** What the upstream itself says that it has, and is not served yet. */
export function FoundModels({ one, pairs, onAdd }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const look = useCall("POST /operator/upstreams/{id}/look");
  const [q, setQ] = useState("");
  if (one.base_url === null) return null;
  const there = new Set(pairs.map(({ upstream_model }) => upstream_model));
  const found = (look.data?.models ?? []).map(({ upstream_model }) => upstream_model);
  const left = found.filter(name => !there.has(name));
  const matching = left.filter(name => name.toLowerCase().includes(q.trim().toLowerCase()));
  const shown = matching.slice(0, SHOWN_MAX);
  const problem = look.data?.problem ?? null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          icon={<RefreshCw size={14} aria-hidden />}
          busy={look.isPending}
          onClick={() => look.mutate({ params: { id: one.id }, body: {} })}
        >
          {say("askModels")}
        </Button>
        <span aria-live="polite" className="text-ink-2 text-sm">
          {look.data === undefined || problem !== null ? null : say("foundMore", { count: left.length })}
        </span>
        {matching.length < 2 ? null : (
          <Button size="sm" tone="ghost" onClick={() => onAdd(matching)}>
            {say("addAll", { count: matching.length })}
          </Button>
        )}
      </div>
      {look.error === null ? null : <Banner tone="bad">{tell(look.error)}</Banner>}
      {problem === null ? null : <Banner tone="warn">{sentenceIn(problem, say.language)}</Banner>}
      {left.length < FIND_FROM ? null : <SearchInput value={q} onChange={setQ} label={say("findFound")} />}
      {shown.length === 0 ? null : (
        <ul aria-label={say("foundList")} className="flex flex-wrap gap-1.5">
          {shown.map(name => (
            <li key={name} className="max-w-full">
              <Button
                size="sm"
                icon={<Plus size={13} aria-hidden />}
                className="max-w-full"
                onClick={() => onAdd([name])}
              >
                <code className="truncate">{name}</code>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
