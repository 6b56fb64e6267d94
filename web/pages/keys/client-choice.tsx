import { Tabs } from "@base-ui/react/tabs";
import { Import } from "lucide-react";
import type { Answer } from "../../api/client.ts";
import { Select } from "../../parts/select.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { useWordsOfUse } from "./use-words.ts";

export type Client = Answer<"GET /keys/{id}/setup">["clients"][number];

type Props = { clients: readonly Client[]; value: string; onChange: (id: string) => void };

const KINDS = ["terminal", "editor", "app", "code"] as const;
/** The place in the list that is no client. */
export const IMPORT = "import";

const tabClass =
  "flex w-full items-center gap-2 rounded-md px-2.5 py-[3px] text-left text-ink-2 hover:bg-hover hover:text-ink data-active:bg-accent-soft data-active:font-medium data-active:text-ink";

/** Every client by kind; one line to choose from on a phone. */
export function ClientChoice({ clients, value, onChange }: Props) {
  const say = useWords(useWordsOfUse);
  const options = [
    { value: IMPORT, label: say("oneClick") },
    ...clients.map(({ id, name, kind }) => ({ value: id, label: name, detail: say(kind) })),
  ];
  return (
    <>
      <div className="md:hidden">
        <Select label={say("client")} value={value} onChange={onChange} options={options} />
      </div>
      <Tabs.Root
        orientation="vertical"
        value={value}
        onValueChange={next => onChange(String(next))}
        className="sticky top-0 max-h-[calc(88dvh-165px)] self-start overflow-y-auto overscroll-contain pb-1 phone:hidden"
      >
        <Tabs.List aria-label={say("clients")} activateOnFocus className="grid gap-px">
          <Tabs.Tab value={IMPORT} className={tabClass}>
            <Import size={15} className="text-accent" aria-hidden />
            {say("oneClick")}
          </Tabs.Tab>
          {KINDS.map(kind => (
            <div key={kind} role="presentation" className="contents">
              <span
                aria-hidden
                className="px-2.5 pt-2 pb-0.5 text-[11px] text-ink-3 uppercase tracking-[0.06em]"
              >
                {say(kind)}
              </span>
              {clients.flatMap(client =>
                client.kind === kind ? (
                  <Tabs.Tab key={client.id} value={client.id} className={tabClass}>
                    {client.name}
                  </Tabs.Tab>
                ) : (
                  []
                ),
              )}
            </div>
          ))}
        </Tabs.List>
      </Tabs.Root>
    </>
  );
}
