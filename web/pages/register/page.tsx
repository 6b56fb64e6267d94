import { Navigate } from "@tanstack/react-router";
import { useHouse } from "../../api/house.ts";
import { useSession } from "../../api/session.ts";
import { OpenFrame } from "../../app/open-frame.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { RegisterByService } from "./register-by-service.tsx";
import { RegisterForm } from "./register-form.tsx";
import { words } from "./words.ts";

export function Page() {
  const say = useWords(words);
  const house = useHouse();
  const session = useSession();
  usePageTitle(say("title"));
  if (session.data) return <Navigate to="/keys" replace />;
  return <OpenFrame>{content()}</OpenFrame>;

  function content() {
    if (house.error) return <ErrorState error={house.error} onRetry={() => void house.refetch()} />;
    if (house.data === undefined) return <Skeleton className="h-72 w-full" />;
    if (!house.data.registration) {
      return (
        <EmptyState
          isPage
          title={say("closedTitle")}
          action={
            <LinkButton to="/sign-in" search={{}}>
              {say("signIn")}
            </LinkButton>
          }
        >
          {say("closedText")}
        </EmptyState>
      );
    }
    return (
      <div className="grid gap-4">
        <header className="mb-1">
          <h1 tabIndex={-1} className="font-semibold text-2xl tracking-[-0.01em]">
            {say("title")}
          </h1>
          <p className="text-ink-2">{say("text", { house: house.data.name })}</p>
        </header>
        {house.data.password_sign_in ? <RegisterForm /> : <RegisterByService name={house.data.oidc} />}
        <p className="text-center text-ink-2 text-sm">
          {say("have")}{" "}
          <TextLink to="/sign-in" search={{}}>
            {say("signIn")}
          </TextLink>
        </p>
      </div>
    );
  }
}
