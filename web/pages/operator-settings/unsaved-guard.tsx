import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

const ConfirmDialog = lazy(async () => ({
  default: (await import("../../parts/confirm-dialog.tsx")).ConfirmDialog,
}));

/** The browser's own ways out ask by themselves; a way to another page asks here. */
export function UnsavedGuard({ isOn }: { isOn: boolean }) {
  const say = useWords(words);
  const leaving = useBlocker({
    disabled: !isOn,
    enableBeforeUnload: isOn,
    withResolver: true,
    shouldBlockFn: ({ current, next }) =>
      next.pathname !== current.pathname && !next.pathname.endsWith("/sign-in"),
  });
  if (leaving.status !== "blocked") return null;
  return (
    <Suspense fallback={null}>
      <ConfirmDialog
        open
        onClose={leaving.reset}
        onConfirm={leaving.proceed}
        title={say("leaveTitle")}
        action={say("leave")}
      >
        <p>{say("leaveText")}</p>
      </ConfirmDialog>
    </Suspense>
  );
}
