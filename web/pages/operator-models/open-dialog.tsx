import { AddDialog } from "./add-dialog.tsx";
import { FactsDialog } from "./facts-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import type { Model, Suggested } from "./model-reads.ts";
import { PriceDialog } from "./price-dialog.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";

/** Which dialog is open, and about what. */
export type Open =
  | { what: "add" }
  | { what: "import" }
  | { what: "price"; model: Model }
  | { what: "facts"; model: Model }
  | { what: "remove"; model: Model };

type Props = {
  open: Open;
  models: readonly Model[];
  suggested: Suggested | null;
  onClose: () => void;
  onRemoved?: () => void;
};

export function OpenDialog({ open, models, suggested, onClose, onRemoved }: Props) {
  switch (open.what) {
    case "add":
      return <AddDialog models={models} onClose={onClose} />;
    case "import":
      return <ImportDialog onClose={onClose} />;
    case "price":
      return <PriceDialog model={open.model} suggested={suggested} onClose={onClose} />;
    case "facts":
      return <FactsDialog model={open.model} onClose={onClose} />;
    case "remove":
      return <RemoveDialog model={open.model} onClose={onClose} onRemoved={onRemoved ?? onClose} />;
  }
}
