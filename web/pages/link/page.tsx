import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { isWorthRetrying } from "../../api/query.ts";
import { OpenFrame } from "../../app/open-frame.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { arrivedFragment } from "../../browser/fragment.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { LinkForm } from "./link-form.tsx";
import { words } from "./words.ts";

/** Set-up, invitation and reset: the token comes behind the # and leaves the address bar at once. */
export function Page() {
  const [token] = useState(arrivedFragment);
  const kind = useLocation({ select: ({ pathname }) => pathname.split("/").at(-1) });
  return (
    <OpenFrame>
      {token === "" ? <Dead kind={kind} isMissing /> : <Look token={token} kind={kind} />}
    </OpenFrame>
  );
}

function Look({ token, kind }: { token: string; kind: string | undefined }) {
  const say = useWords(words);
  const link = useQuery({
    queryKey: ["POST /links/look", token],
    queryFn: () => call("POST /links/look", { body: { token } }),
    retry: isWorthRetrying,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (link.data) return <LinkForm link={link.data} token={token} />;
  if (
    link.error instanceof ApiError &&
    (link.error.code === "link_invalid" || link.error.code === "invalid")
  ) {
    return <Dead kind={kind} />;
  }
  if (link.error) return <ErrorState error={link.error} onRetry={() => void link.refetch()} />;
  return (
    <div role="status" className="grid gap-4">
      <span className="sr-only">{say("looking")}</span>
      <Skeleton className="h-7 w-52" />
      <Skeleton className="h-64 w-full" />
    </div>
  );
}

function Dead({ kind, isMissing }: { kind: string | undefined; isMissing?: boolean }) {
  const say = useWords(words);
  usePageTitle(say(isMissing ? "missingTitle" : "badTitle"));
  return (
    <EmptyState
      isPage
      title={say(isMissing ? "missingTitle" : "badTitle")}
      action={
        <LinkButton to="/sign-in" search={{}}>
          {say("toSignIn")}
        </LinkButton>
      }
    >
      <p>{say(isMissing ? "missingText" : "badText")}</p>
      <p>{isMissing ? null : say(kind === "setup" ? "badSetup" : "badOther")}</p>
    </EmptyState>
  );
}
