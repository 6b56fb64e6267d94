import { Braces, Download, Table2 } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { exportWords } from "./export-words.ts";
import type { ExportFormat } from "./row-counter.ts";
import { words } from "./words.ts";

export function ExportMenu({
  onExport,
  isRunning,
}: {
  onExport: (format: ExportFormat) => void;
  isRunning: boolean;
}) {
  const say = useWords(words);
  const tell = useWords(exportWords);
  return (
    <Menu
      entries={[
        {
          label: tell("csv"),
          icon: <Table2 size={15} aria-hidden />,
          onSelect: () => onExport("csv"),
          disabled: isRunning,
        },
        {
          label: tell("json"),
          icon: <Braces size={15} aria-hidden />,
          onSelect: () => onExport("json"),
          disabled: isRunning,
        },
      ]}
      trigger={
        <Button icon={<Download size={15} aria-hidden />} title={tell("withFilters")}>
          {say("export")}
        </Button>
      }
    />
  );
}
