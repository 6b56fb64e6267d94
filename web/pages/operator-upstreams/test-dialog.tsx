import { Dialog } from "../../parts/dialog.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { panelWords } from "./panel-words.ts";
import { TestCall } from "./test-call.tsx";
import type { Upstream } from "./upstream-reads.ts";

export function TestDialog({ one, onClose }: { one: Upstream; onClose: () => void }) {
  const say = useWords(panelWords);
  return (
    <Dialog open onClose={onClose} title={say("test")} description={<bdi>{one.name}</bdi>}>
      <TestCall one={one} />
    </Dialog>
  );
}
