import { Outlet } from "@tanstack/react-router";
import { useSession } from "../api/session.ts";
import { OpenFrame } from "./open-frame.tsx";
import { Shell } from "./shell.tsx";
import { ShellWaiting } from "./shell-waiting.tsx";

/** A page for everybody: within the console where somebody is signed in, else by itself. */
export function SignedInOrNot() {
  const session = useSession();
  if (session.data) {
    return (
      <Shell session={session.data}>
        <Outlet />
      </Shell>
    );
  }
  if (session.isPending) return <ShellWaiting />;
  return (
    <OpenFrame wide>
      <Outlet />
    </OpenFrame>
  );
}
