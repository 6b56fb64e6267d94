import { Braces, Download, Table2 } from "lucide-react";
import { useState } from "react";
import { useErrorText } from "../../api/error-text.ts";
import { openStream } from "../../api/open-stream.ts";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { saveBlob } from "../../parts/save-text.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { AuditFilter } from "./filter.ts";
import { words } from "./words.ts";

/** The entries of these filters as a file, each with its hash. */
export function AuditExport({ filter }: { filter: AuditFilter }) {
  const say = useWords(words);
  const tell = useErrorText();
  const [busy, setBusy] = useState(false);
  const save = async (format: "csv" | "json") => {
    setBusy(true);
    try {
      const response = await openStream("GET /operator/audit/export", { query: { ...filter, format } });
      const given = /filename="([\w.-]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
      saveBlob(given ?? `audit.${format}`, await response.blob());
      toast(say("exported"));
    } catch (error) {
      toast(say("exportFailed", { text: tell(error) }), { tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      entries={[
        { label: say("csv"), icon: <Table2 size={15} aria-hidden />, onSelect: () => void save("csv") },
        { label: say("json"), icon: <Braces size={15} aria-hidden />, onSelect: () => void save("json") },
      ]}
      trigger={
        <Button icon={<Download size={15} aria-hidden />} busy={busy}>
          {say("export")}
        </Button>
      }
    />
  );
}
