import { ExternalLink } from "lucide-react";
import { useEffect, useRef } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import { useKeysSearch } from "./use-search.ts";
import { useWordsOfUse } from "./use-words.ts";
import { words } from "./words.ts";

type Props = {
  keyView: Key;
  /** Null: taken from the sealed copy. */
  string: string | null;
  model: string | null;
};

/** Links that hand the key to a program of this computer. They are made when asked for and kept nowhere. */
export function ImportLinks({ keyView, string, model }: Props) {
  const say = useWords(useWordsOfUse);
  const inList = useWords(words);
  const tell = useErrorText();
  const { show } = useKeysSearch();
  const links = useCall("POST /keys/{id}/imports");
  const isAsked = useRef(false);
  const { mutate } = links;
  const ask = () =>
    mutate({
      params: { id: keyView.id },
      body: {
        language: say.language,
        ...(string === null ? {} : { string }),
        ...(model === null ? {} : { model }),
      },
    });
  useEffect(() => {
    if (string === null || isAsked.current) return;
    isAsked.current = true;
    ask();
  });
  const isClosed = links.error instanceof ApiError && links.error.code === "recent_sign_in_needed";
  return (
    <>
      <div>
        <h3 className="font-semibold text-lg">{say("importTitle")}</h3>
        <p className="text-ink-2">{say("importText")}</p>
      </div>
      {keyView.state !== "active" ? (
        <Banner tone="warn">{say("importNotActive", { state: inList(keyView.state) })}</Banner>
      ) : string === null && !keyView.can_import ? (
        <Banner
          tone="info"
          title={say("importNoCopy")}
          action={
            <Button size="sm" onClick={() => show("rotate", keyView.id)}>
              {say("importRotate")}
            </Button>
          }
        >
          {say("importNoCopyHelp")}
        </Banner>
      ) : links.data === undefined ? (
        <div className="grid justify-items-start gap-2">
          <Button tone="primary" busy={links.isPending} onClick={ask}>
            {say("importAsk")}
          </Button>
          {string === null ? <p className="text-ink-3 text-sm">{say("importAskText")}</p> : null}
          {links.error === null || isClosed ? null : <Banner tone="bad">{tell(links.error)}</Banner>}
        </div>
      ) : (
        <Links links={links.data.links} />
      )}
    </>
  );
}

type Link = { app: string; name: string; url: string; note: string | null };
type Program = { name: string; note: string | null; links: { name: string; url: string }[] };

/** “CC Switch · Codex” is the program CC Switch, set up for Codex. */
export function programsOf(links: readonly Link[]): Program[] {
  const programs = new Map<string, Program>();
  for (const { name, note, url } of links) {
    const [program = name, part = name] = name.split(" · ");
    const known = programs.get(program) ?? { name: program, note, links: [] };
    known.links.push({ name: part, url });
    programs.set(program, known);
  }
  return [...programs.values()];
}

function Links({ links }: { links: readonly Link[] }) {
  const say = useWords(useWordsOfUse);
  return (
    <>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {programsOf(links).map(program => (
          <li key={program.name} className="grid gap-2 px-3.5 py-3">
            <div>
              <h4 className="font-medium">{program.name}</h4>
              {program.note === null ? null : <p className="text-ink-3 text-sm">{program.note}</p>}
            </div>
            <div className="flex flex-wrap gap-2">
              {program.links.map(link => (
                <OneLink key={link.name} {...link} program={program.name} />
              ))}
            </div>
          </li>
        ))}
      </ul>
      <div className="grid gap-1 text-ink-2 text-sm">
        <p>{say("importAsksApp")}</p>
        <p>{say("importFallback")}</p>
        <p>{say("importSecret")}</p>
      </div>
    </>
  );
}

function OneLink({ name, url, program }: { name: string; url: string; program: string }) {
  const say = useWords(useWordsOfUse);
  const isWhole = name === program;
  return (
    <span className="flex items-center rounded-md border border-line-strong">
      <a
        href={url}
        rel="noreferrer"
        className="flex items-center gap-1.5 rounded-l-md py-1 pr-2 pl-2.5 font-medium text-sm hover:bg-hover phone:py-2"
      >
        <ExternalLink size={14} className="text-ink-3" aria-hidden />
        {isWhole ? say("importOpen", { app: program }) : name}
      </a>
      <CopyButton
        iconOnly
        text={url}
        what={say("importCopy", { app: isWhole ? program : `${program} · ${name}` })}
      />
    </span>
  );
}
