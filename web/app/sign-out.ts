import { call } from "../api/call.ts";
import { useErrorText } from "../api/error-text.ts";
import { toast } from "../parts/toast-store.ts";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

const SIGN_IN = "/console/sign-in";

/** Signs out and forgets what was seen; where it fails it says that one is still signed in. */
export function useSignOut(): () => Promise<void> {
  const tell = useErrorText();
  const say = useWords(appWords);
  return async () => {
    try {
      await call("DELETE /session");
      // Loaded anew, so that nothing of this account stays in the page for the next.
      location.assign(SIGN_IN);
    } catch (error) {
      toast(say("signOutFailed", { text: tell(error) }), { tone: "bad" });
    }
  };
}
