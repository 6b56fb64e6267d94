import { Navigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useHouse } from "../../api/house.ts";
import { useSession } from "../../api/session.ts";
import { OpenFrame } from "../../app/open-frame.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { Banner } from "../../parts/banner.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { PROBLEM_WORDS, takeArrival } from "./arrival.ts";
import { CodeStep } from "./code-step.tsx";
import { ForgotStep } from "./forgot-step.tsx";
import { PasswordStep } from "./password-step.tsx";
import { words } from "./words.ts";

export function Page() {
  const say = useWords(words);
  const [arrival] = useState(takeArrival);
  const [ticket, setTicket] = useState(arrival.ticket);
  const [isLate, setLate] = useState(false);
  const session = useSession();
  const house = useHouse();
  const search = useSearch({ from: "/sign-in" });
  const to = search.to ?? arrival.to ?? "/keys";
  usePageTitle(say("title"));
  if (session.data) return <Navigate to="/keys" href={to} replace />;
  const startOver = (late: boolean) => {
    setTicket(null);
    setLate(late);
  };
  return (
    <OpenFrame>
      <div className="grid gap-4">
        <Notices arrival={arrival} isEnded={search.ended ?? false} isLate={isLate} />
        {ticket === null && search.forgot === true ? (
          <ForgotStep />
        ) : ticket === null ? (
          <PasswordStep house={house.data ?? null} to={to} onTicket={setTicket} />
        ) : (
          <CodeStep ticket={ticket} to={to} onStartOver={startOver} />
        )}
      </div>
    </OpenFrame>
  );
}

type NoticesProps = { arrival: ReturnType<typeof takeArrival>; isEnded: boolean; isLate: boolean };

/** What has to be known before signing in. */
function Notices({ arrival, isEnded, isLate }: NoticesProps) {
  const say = useWords(words);
  const { data: house } = useHouse();
  const problem = PROBLEM_WORDS[arrival.problem as keyof typeof PROBLEM_WORDS];
  return (
    <>
      {window.isSecureContext ? null : (
        <Banner tone="warn" title={say("insecure")}>
          {say("insecureText")}
        </Banner>
      )}
      {house?.needs_setup ? (
        <Banner tone="info" title={say("needsSetup")}>
          {say("needsSetupText")}
        </Banner>
      ) : null}
      {isEnded ? <Banner tone="quiet">{say("ended")}</Banner> : null}
      {isLate ? <Banner tone="warn">{say("stepExpired")}</Banner> : null}
      {problem === undefined ? null : (
        <Banner tone="bad">{say(problem, { name: house?.oidc ?? say("oidcName") })}</Banner>
      )}
    </>
  );
}
