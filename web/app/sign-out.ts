import { useRef } from "react";
import { ApiError } from "../api/api-error.ts";
import { call, callHooks, setCallHooks } from "../api/call.ts";
import { useErrorText } from "../api/error-text.ts";
import { toast } from "../parts/toast-store.ts";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

const SIGN_IN = "/console/sign-in";

/** Signs out and forgets what was seen; where it fails it says that one is still signed in. */
export function useSignOut(): () => Promise<void> {
  const tell = useErrorText();
  const say = useWords(appWords);
  const isLeaving = useRef(false);
  return async () => {
    if (isLeaving.current) return;
    isLeaving.current = true;
    // What asks in the background may hear of it first. Sent to sign in by that, one would be sent there once more.
    const { onSignedOut } = callHooks;
    setCallHooks({ onSignedOut: () => {} });
    try {
      await call("DELETE /session");
    } catch (error) {
      if (!isOver(error)) {
        isLeaving.current = false;
        setCallHooks({ onSignedOut });
        toast(say("signOutFailed", { text: tell(error) }), { tone: "bad" });
        return;
      }
    }
    // Loaded anew, so that nothing of this account stays in the page for the next.
    location.assign(SIGN_IN);
  };
}

/** Somebody else has ended the session before. */
function isOver(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_signed_in";
}
