import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

function onNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

export function OfflineLine() {
  const isOnline = useSyncExternalStore(onNetwork, () => navigator.onLine);
  const say = useWords(appWords);
  return (
    <div role="status">
      {isOnline ? null : (
        <p className="flex items-center justify-center gap-2 bg-warn-soft px-4 py-1.5 text-sm text-warn">
          <WifiOff size={14} aria-hidden />
          {say("offline")}
        </p>
      )}
    </div>
  );
}
