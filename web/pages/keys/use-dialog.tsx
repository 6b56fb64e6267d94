import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Answer } from "../../api/client.ts";
import { queryOf } from "../../api/query.ts";
import { keep, kept } from "../../browser/kept.ts";
import { Banner } from "../../parts/banner.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ClientChoice, IMPORT } from "./client-choice.tsx";
import { ClientSteps } from "./client-steps.tsx";
import type { Key } from "./draft.ts";
import { FirstRequest } from "./first-request.tsx";
import type { Fresh } from "./fresh.ts";
import { ImportLinks } from "./import-links.tsx";
import { KeyString } from "./key-string.tsx";
import { useKeysSearch } from "./use-search.ts";
import { useWordsOfUse } from "./use-words.ts";
import { words } from "./words.ts";

type Props = { keyView: Key; fresh: Fresh | null; onKept: () => void; onClose: () => void };

const KEPT_CLIENT = "client";

/** How each client is given this key, and whether its first request came. */
export function UseDialog({ keyView, fresh, onKept, onClose }: Props) {
  const say = useWords(useWordsOfUse);
  const inList = useWords(words);
  const { search, show } = useKeysSearch();
  const [model, setModel] = useState<string | null>(null);
  const [pasted, setPasted] = useState<string | null>(null);
  const query = { language: say.language, ...(model === null ? {} : { model }) };
  // While another model is asked for, what is there stays.
  const setup = useQuery({
    ...queryOf("GET /keys/{id}/setup", { params: { id: keyView.id }, query }),
    placeholderData: keepPreviousData,
  });
  const texts = setup.data;
  const clients = texts?.clients ?? [];
  const wanted = search.show === "import" ? IMPORT : (search.client ?? kept(KEPT_CLIENT) ?? "");
  const isKnown = wanted === IMPORT || clients.some(({ id }) => id === wanted);
  const chosen = isKnown ? wanted : (clients[0]?.id ?? "");
  const choose = (id: string) => {
    if (id === IMPORT) show("import", keyView.id);
    else {
      keep(KEPT_CLIENT, id);
      show("use", keyView.id, id);
    }
  };
  const client = clients.find(({ id }) => id === chosen);
  const string = fresh?.string ?? pasted;
  return (
    <Dialog
      open
      size="xl"
      onClose={onClose}
      title={<span dir="auto">{say("title", { name: keyView.name })}</span>}
      description={<code>{keyView.preview}</code>}
      footer={<FirstRequest keyId={keyView.id} lastUsed={keyView.last_used?.at ?? null} />}
    >
      {texts === undefined ? (
        setup.error === null ? (
          <Waiting />
        ) : (
          <ErrorState error={setup.error} onRetry={() => void setup.refetch()} />
        )
      ) : clients.length === 0 ? (
        <EmptyState title={say("noModels")}>{say("noModelsText")}</EmptyState>
      ) : (
        <div className="grid gap-4 md:min-h-[calc(88dvh-165px)] md:grid-cols-[190px_minmax(0,1fr)] md:gap-6">
          <ClientChoice clients={clients} value={chosen} onChange={choose} />
          <div className="grid min-w-0 content-start gap-4">
            {chosen === IMPORT ? (
              <ImportLinks key={keyView.id} keyView={keyView} string={string} model={model} />
            ) : client === undefined ? null : (
              <>
                {keyView.state === "active" ? null : (
                  <Banner tone="warn">{say("notActive", { state: inList(keyView.state) })}</Banner>
                )}
                <KeyString keyView={keyView} fresh={fresh} pasted={pasted} onPasted={setPasted} />
                <ClientSteps
                  client={client}
                  models={texts.models}
                  model={model ?? modelOf(client, texts)}
                  onModel={setModel}
                  string={string}
                  onCopied={onKept}
                />
              </>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}

type Texts = Answer<"GET /keys/{id}/setup">;

/** Where none was chosen each client has the one that suits it: the longest name of the list that its texts use. */
function modelOf(client: Texts["clients"][number], { models, model }: Texts): string | null {
  const text = client.pieces.map(piece => piece.text).join("\n");
  const used = models.filter(name => text.includes(name)).sort((a, b) => b.length - a.length);
  return used.length === 1 ? (used[0] ?? model) : used.includes(model ?? "") ? model : (used[0] ?? model);
}

function Waiting() {
  const say = useWords(useWordsOfUse);
  return (
    <div className="grid gap-6 md:min-h-[calc(88dvh-165px)] md:grid-cols-[190px_minmax(0,1fr)]" aria-busy>
      <span role="status" className="sr-only">
        {say("loading")}
      </span>
      <Skeleton className="h-72 w-full phone:h-9" />
      <div className="grid content-start gap-3">
        <Skeleton className="h-9 w-2/3" />
        <Skeleton className="h-40 w-full" />
        <Skeleton className="h-24 w-full" />
      </div>
    </div>
  );
}
