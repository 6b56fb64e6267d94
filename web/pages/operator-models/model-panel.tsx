import { useState } from "react";
import { useApi } from "../../api/query.ts";
import { formatCount } from "../../format/number.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Facts, Part } from "../../parts/facts.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tag } from "../../parts/tag.tsx";
import { LOCALE } from "../../words/language.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Model, Suggested } from "./model-reads.ts";
import { type Open, OpenDialog } from "./open-dialog.tsx";
import { PriceHistory } from "./price-history.tsx";
import { PriceTable } from "./price-table.tsx";
import { priceWords } from "./price-words.ts";
import { words } from "./words.ts";

type Props = { id: string; suggested: Suggested | null; onClose: () => void };

/** One model beside the list. Its dialogs stand within it, so that Esc closes the one on top alone. */
export function ModelPanel({ id, suggested, onClose }: Props) {
  const say = useWords(priceWords);
  const models = useApi("GET /operator/models");
  const [open, setOpen] = useState<Open | null>(null);
  const model = models.data?.models.find(one => one.id === id);
  return (
    <SidePanel
      open
      wide
      onClose={onClose}
      title={model === undefined ? say("missingTitle") : <CodeValue value={model.name} />}
      {...(model === undefined ? {} : { footer: <Actions model={model} onShow={setOpen} /> })}
    >
      {model !== undefined ? (
        <Parts model={model} onShow={setOpen} />
      ) : models.data !== undefined ? (
        <EmptyState title={say("missingTitle")}>{say("missingText")}</EmptyState>
      ) : models.error !== null ? (
        <ErrorState error={models.error} onRetry={() => void models.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
      {open === null ? null : (
        <OpenDialog
          open={open}
          models={models.data?.models ?? []}
          suggested={suggested}
          onClose={() => setOpen(null)}
          onRemoved={onClose}
        />
      )}
    </SidePanel>
  );
}

type PartProps = { model: Model; onShow: (open: Open) => void };

function Parts({ model, onShow }: PartProps) {
  const say = useWords(priceWords);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Part
        title={say("priceNow")}
        action={
          <Button size="sm" tone="primary" onClick={() => onShow({ what: "price", model })}>
            {say(model.price === null ? "priceSet" : "priceEdit")}
          </Button>
        }
      >
        {model.price === null ? (
          <Banner tone="bad" title={say("noPrice")}>
            {say("noPriceText")}
          </Banner>
        ) : (
          <PriceTable price={model.price} />
        )}
      </Part>
      <PriceHistory model={model} />
      <Serving model={model} />
      <Part
        title={say("factsTitle")}
        action={
          <Button size="sm" onClick={() => onShow({ what: "facts", model })}>
            {say("editFacts")}
          </Button>
        }
      >
        <About model={model} />
      </Part>
    </div>
  );
}

function About({ model }: { model: Model }) {
  const say = useWords(priceWords);
  const count = (tokens: number | null) =>
    tokens === null ? say("unknown") : formatCount(tokens, say.language);
  return (
    <Facts
      facts={[
        { name: say("context"), value: count(model.context_tokens) },
        { name: say("maxOutput"), value: count(model.max_output_tokens) },
      ]}
    />
  );
}

function Serving({ model }: { model: Model }) {
  const say = useWords(priceWords);
  const list = useWords(words);
  const names = new Intl.ListFormat(LOCALE[say.language], { type: "conjunction" });
  return (
    <>
      <Part title={say("upstreamsTitle")}>
        {model.upstreams.length === 0 ? (
          <Banner tone="warn">{say("upstreamsNone")}</Banner>
        ) : (
          <ul className="rounded-lg border border-line">
            {model.upstreams.map(({ id, name, upstream_model, speaks }) => (
              <li key={id} className="border-line border-b px-3.5 py-2 last:border-0">
                <span dir="auto" className="font-medium">
                  {name}
                </span>
                <span className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
                  <span>
                    {say("nativeDialects", { dialects: names.format(speaks.map(one => list(one))) })}
                  </span>
                  {upstream_model === model.name ? null : (
                    <span className="break-all">{say("calledThere", { name: upstream_model })}</span>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      <Part title={say("groupsTitle")}>
        {model.groups.length === 0 ? (
          <Banner tone="warn">{say("groupsNone")}</Banner>
        ) : (
          <p className="flex flex-wrap gap-1">
            {model.groups.map(name => (
              <Tag key={name}>{name}</Tag>
            ))}
          </p>
        )}
      </Part>
    </>
  );
}

function Actions({ model, onShow }: PartProps) {
  const say = useWords(priceWords);
  return (
    <>
      <LinkButton size="sm" tone="ghost" to="/operator/audit" search={{ noun: "model", name: model.name }}>
        {say("changes")}
      </LinkButton>
      <Button size="sm" tone="bad" className="ml-auto" onClick={() => onShow({ what: "remove", model })}>
        {say("removeAction")}
      </Button>
    </>
  );
}
