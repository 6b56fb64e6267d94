import { useNavigate } from "@tanstack/react-router";
import { BarChart3, CirclePause, CirclePlay, Import, PencilLine, RefreshCcw, Trash2 } from "lucide-react";
import { useErrorText } from "../../api/error-text.ts";
import { useCall } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { Menu, type MenuEntry } from "../../parts/menu.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import type { Shown } from "./use-search.ts";
import { words } from "./words.ts";

type Props = { row: Key; onShow: (what: Shown, key: Key) => void };

const ICON = { size: 15, className: "text-ink-3", "aria-hidden": true } as const;

/** Turns a key off and on again; off can be taken back from where it is said. */
export function useKeySwitch() {
  const say = useWords(words);
  const tell = useErrorText();
  const failed = { onError: (error: unknown) => toast(tell(error), { tone: "bad" }) };
  const enable = useCall("POST /keys/{id}/enable", {
    refresh: ["GET /keys"],
    onDone: ({ name }) => toast(say("enabledToast", { name })),
  });
  const turnOn = (id: string) => enable.mutate({ params: { id } }, failed);
  const disable = useCall("POST /keys/{id}/disable", {
    refresh: ["GET /keys"],
    onDone: ({ id, name }) =>
      toast(say("disabledToast", { name }), { action: { label: say("undo"), onSelect: () => turnOn(id) } }),
  });
  const turnOff = (id: string) => disable.mutate({ params: { id } }, failed);
  return { turnOn, turnOff, isBusy: enable.isPending || disable.isPending };
}

export function KeyActions({ row, onShow }: Props) {
  const say = useWords(words);
  const navigate = useNavigate();
  const { turnOn, turnOff, isBusy } = useKeySwitch();
  const { name, state } = row;
  const usage: MenuEntry = {
    label: say("usage"),
    icon: <BarChart3 {...ICON} />,
    onSelect: () => void navigate({ to: "/usage", search: { key: row.id } }),
  };
  const entries: MenuEntry[] = [
    { label: say("edit"), icon: <PencilLine {...ICON} />, onSelect: () => onShow("edit", row) },
    state === "disabled"
      ? { label: say("enable"), icon: <CirclePlay {...ICON} />, onSelect: () => turnOn(row.id) }
      : { label: say("disable"), icon: <CirclePause {...ICON} />, onSelect: () => turnOff(row.id) },
    { label: say("rotate"), icon: <RefreshCcw {...ICON} />, onSelect: () => onShow("rotate", row) },
    { label: say("importKey"), icon: <Import {...ICON} />, onSelect: () => onShow("import", row) },
    usage,
    "line",
    {
      label: say("delete"),
      icon: <Trash2 size={15} aria-hidden />,
      tone: "bad",
      onSelect: () => onShow("delete", row),
    },
  ];
  return (
    <div className="flex items-center justify-end gap-1 phone:justify-start">
      {state === "active" ? (
        <Button size="sm" aria-label={say("useKeyOf", { name })} onClick={() => onShow("use", row)}>
          {say("useKey")}
        </Button>
      ) : null}
      {state === "disabled" ? (
        <Button size="sm" aria-label={say("enableOf", { name })} busy={isBusy} onClick={() => turnOn(row.id)}>
          {say("enable")}
        </Button>
      ) : null}
      {state === "expired" ? (
        <Button size="sm" aria-label={say("extendOf", { name })} onClick={() => onShow("edit", row)}>
          {say("extend")}
        </Button>
      ) : null}
      <Menu label={say("moreFor", { name })} entries={state === "deleted" ? [usage] : entries} />
    </div>
  );
}
