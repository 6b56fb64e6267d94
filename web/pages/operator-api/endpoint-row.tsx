import { ChevronRight } from "lucide-react";
import { useId } from "react";
import { API_ROOT } from "../../api/client.ts";
import { classNames } from "../../parts/class-names.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { linesOf, ruleOf, type Schema, type Shown, typeOf } from "./document.ts";
import { words } from "./words.ts";

type Props = { endpoint: Shown; isOpen: boolean; onToggle: (isOpen: boolean) => void };

const TONES: Record<string, string> = {
  GET: "text-info",
  POST: "text-ok",
  PATCH: "text-warn",
  DELETE: "text-bad",
};

export function EndpointRow({ endpoint, isOpen, onToggle }: Props) {
  const id = useId();
  const { method, path, summary } = endpoint;
  return (
    <li className="border-line border-t">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => onToggle(!isOpen)}
        className="flex w-full items-start gap-2 px-4 py-2 text-left outline-offset-[-2px] hover:bg-sunken"
      >
        <ChevronRight
          size={15}
          aria-hidden
          className={classNames("mt-1 shrink-0 text-ink-3 transition-transform", isOpen && "rotate-90")}
        />
        <span className="grid min-w-0 flex-1 gap-x-3 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
          <code className="min-w-0 break-all text-[13px]">
            <b className={classNames("mr-2 inline-block min-w-14", TONES[method])}>{method}</b>
            {path}
          </code>
          <span className="text-ink-2 text-sm">{summary}</span>
        </span>
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen ? <Detail endpoint={endpoint} /> : null}
      </div>
    </li>
  );
}

function curlOf({ method, path, body }: Shown): string {
  const address = `${window.location.origin}${API_ROOT}${path}`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`,
    '-H "Authorization: Bearer $WICKETGATE_TOKEN"',
    ...(body === null ? [] : ['-H "Content-Type: application/json"', "-d '{}'"]),
  ].join(" \\\n  ");
}

function Detail({ endpoint }: { endpoint: Shown }) {
  const say = useWords(words);
  const { params, body, answer, who, takesToken, isOpen } = endpoint;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 bg-sunken px-4 py-3.5 md:pl-10">
      <p className="flex flex-wrap items-center gap-2 text-ink-2">
        {who}
        {isOpen ? null : <Tag>{say(takesToken ? "takesToken" : "peopleOnly")}</Tag>}
      </p>
      {params.length === 0 ? null : (
        <Block title={say("parameters")}>
          {params.map(({ name, in: place, isRequired, schema }) => (
            <Field
              key={`${place} ${name}`}
              {...{ name, isRequired, depth: 0, type: typeOf(schema), rule: ruleOf(schema) }}
              place={place === "path" ? say("inPath") : say("inQuery")}
            />
          ))}
        </Block>
      )}
      {body === null ? null : <Form title={say("body")} schema={body} none={say("emptyObject")} />}
      {answer === null ? (
        <p className="text-ink-2">{say("noJson")}</p>
      ) : (
        <Form title={say("answer")} schema={answer} none={typeOf(answer)} />
      )}
      {takesToken ? <CodeBlock code={curlOf(endpoint)} language="bash" /> : null}
    </div>
  );
}

function Block({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <h3 className="font-semibold text-sm">{title}</h3>
      <ul className="rounded-lg border border-line bg-panel py-1">{children}</ul>
    </section>
  );
}

function Form({ title, schema, none }: { title: string; schema: Schema; none: string }) {
  const lines = linesOf(schema);
  return (
    <Block title={title}>
      {lines.length === 0 ? <li className="px-3 py-1 text-ink-2 text-sm">{none}</li> : null}
      {lines.map(({ id, ...line }) => (
        <Field key={id} {...line} />
      ))}
    </Block>
  );
}

type FieldProps = {
  name: string;
  type: string;
  rule: string;
  isRequired: boolean;
  depth: number;
  place?: string;
};

const INDENT_PX = 18;

function Field({ name, type, rule, isRequired, depth, place }: FieldProps) {
  const say = useWords(words);
  return (
    <li
      className="flex flex-wrap items-baseline gap-x-2.5 px-3 py-[3px] text-sm"
      style={{ paddingLeft: 12 + depth * INDENT_PX }}
    >
      {type === "or" ? (
        <span className="text-ink-3">{say("either", { number: name })}</span>
      ) : (
        <>
          <code className="font-medium">{name}</code>
          <code className="min-w-0 break-words text-info text-xs">{type}</code>
          {isRequired ? null : <span className="text-ink-3 text-xs">{say("optional")}</span>}
          {place === undefined ? null : <span className="text-ink-3 text-xs">{place}</span>}
          {rule === "" ? null : <code className="min-w-0 break-all text-ink-3 text-xs">{rule}</code>}
        </>
      )}
    </li>
  );
}
