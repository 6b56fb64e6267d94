import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { CreateDialog } from "./create-dialog.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import type { Key } from "./draft.ts";
import { EditDialog } from "./edit-dialog.tsx";
import type { Fresh } from "./fresh.ts";
import { OnceDialog } from "./once-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { UseDialog } from "./use-dialog.tsx";
import { useLeaveGuard } from "./use-leave-guard.ts";
import { useKeysSearch } from "./use-search.ts";
import { words } from "./words.ts";

type Props = {
  /** Undefined while they are not there yet. */
  keys: readonly Key[] | undefined;
  fresh: Fresh | null;
  onFresh: (fresh: Fresh | null) => void;
};

/** The one dialog that the address names; a string that was just made stays until it is closed on purpose. */
export function KeyDialogs({ keys, fresh, onFresh }: Props) {
  const { search, show, close } = useKeysSearch();
  const [isAsking, setAsking] = useState(false);
  useLeaveGuard(fresh !== null && !fresh.isKept, () => {
    setAsking(true);
    close();
  });
  const made = (isRotated: boolean) => (answer: { key: Key; string: string }) => {
    setAsking(false);
    onFresh({ ...answer, isRotated, isKept: false });
    close();
  };
  const onKept = () => fresh !== null && onFresh({ ...fresh, isKept: true });
  if (search.show === "create") {
    return (
      <CreateDialog
        keys={keys ?? []}
        onClose={close}
        onMade={made(false)}
        onRotate={key => show("rotate", key.id)}
        onDelete={key => show("delete", key.id)}
      />
    );
  }
  if (search.show === undefined && fresh !== null) {
    return (
      <OnceDialog
        fresh={fresh}
        isAsking={isAsking}
        onAsk={setAsking}
        onKept={onKept}
        onDone={() => onFresh(null)}
        onUse={client => show("use", fresh.key.id, client ?? undefined)}
        onImport={() => show("import", fresh.key.id)}
      />
    );
  }
  if (search.show === undefined) return null;
  const found = keys?.find(({ id }) => id === search.key);
  const key = found ?? (fresh?.key.id === search.key ? fresh?.key : undefined);
  if (key === undefined || (key.state === "deleted" && search.show !== "delete")) {
    return keys === undefined ? null : <NoSuchKey onClose={close} />;
  }
  switch (search.show) {
    case "edit":
      return <EditDialog key={key.id} keyView={key} onClose={close} />;
    case "rotate":
      return <RotateDialog keyView={key} onClose={close} onRotated={made(true)} />;
    case "delete":
      return key.state === "deleted" ? null : <DeleteDialog keyView={key} onClose={close} />;
    case "use":
    case "import":
      return (
        <UseDialog
          keyView={key}
          fresh={fresh?.key.id === key.id ? fresh : null}
          onKept={onKept}
          onClose={close}
        />
      );
  }
}

/** Somebody else's key looks exactly like one that never was. */
function NoSuchKey({ onClose }: { onClose: () => void }) {
  const say = useWords(words);
  return (
    <Dialog
      open
      size="sm"
      onClose={onClose}
      title={say("gone")}
      footer={
        <Button tone="primary" onClick={onClose}>
          {say("toList")}
        </Button>
      }
    >
      <p className="text-ink-2">{say("goneText")}</p>
    </Dialog>
  );
}
