import { Navigate } from "@tanstack/react-router";
import { useApi } from "../api/query.ts";
import { useSession } from "../api/session.ts";
import { ShellWaiting } from "./shell-waiting.tsx";

/** The root leads to the keys; an operator whose house is still empty is shown what comes first. */
export function Home() {
  const session = useSession();
  if (session.data === null) return <Navigate to="/sign-in" replace />;
  if (session.data?.account.role === "operator") return <OperatorHome />;
  // Where nobody can tell who is there, the page says so.
  if (session.data !== undefined || session.error !== null) return <Navigate to="/keys" replace />;
  return <ShellWaiting />;
}

function OperatorHome() {
  const keys = useApi("GET /keys");
  const upstreams = useApi("GET /operator/upstreams");
  if (keys.error !== null || upstreams.error !== null) return <Navigate to="/keys" replace />;
  if (keys.data === undefined || upstreams.data === undefined) return <ShellWaiting />;
  const isEmpty = keys.data.keys.length === 0 && upstreams.data.upstreams.length === 0;
  return <Navigate to={isEmpty ? "/operator/overview" : "/keys"} replace />;
}
