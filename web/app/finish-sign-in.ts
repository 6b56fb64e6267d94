import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { sessionQuery } from "../api/session.ts";

/** After a sign-in: forgets what was there before, asks who is there now, and goes on. */
export function useFinishSignIn(): (to?: string) => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async (to = "/") => {
    queries.removeQueries({ type: "inactive" });
    await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    router.history.push(`${router.basepath === "/" ? "" : router.basepath}${to}`);
  };
}
