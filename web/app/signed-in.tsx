import { Navigate, Outlet, useLocation } from "@tanstack/react-router";
import { useRef } from "react";
import { useSession } from "../api/session.ts";
import { ErrorState } from "../parts/error-state.tsx";
import { isOwnPath } from "./search.ts";
import { Shell } from "./shell.tsx";
import { ShellWaiting } from "./shell-waiting.tsx";

/** Only for who is signed in; everybody else is sent to sign in and comes back here. */
export function SignedIn() {
  const session = useSession();
  const href = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  const wasHere = useRef(false);
  // While the sign-in page is on its way, its own address is the present one already.
  const page = useRef<string | null>(null);
  if (isOwnPath(href)) page.current = href;
  if (session.data) {
    wasHere.current = true;
    return (
      <Shell session={session.data}>
        <Outlet />
      </Shell>
    );
  }
  if (session.data === null) {
    const search = {
      ...(page.current === null ? {} : { to: page.current }),
      ...(wasHere.current ? { ended: true as const } : {}),
    };
    return <Navigate to="/sign-in" search={search} replace />;
  }
  if (session.error) {
    return (
      <div className="grid min-h-dvh place-content-center">
        <ErrorState
          error={session.error}
          onRetry={() => void session.refetch()}
          isRetrying={session.isFetching}
        />
      </div>
    );
  }
  return <ShellWaiting />;
}
