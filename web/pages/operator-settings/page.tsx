import { useNavigate, useSearch } from "@tanstack/react-router";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import type { settingsSearch } from "../../app/search.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { KeysPart } from "./keys-part.tsx";
import { MailPart } from "./mail-part.tsx";
import { Section } from "./section.tsx";
import { partOf, type Setting } from "./setting.ts";
import { SignInPart } from "./sign-in-part.tsx";
import { UnsavedGuard } from "./unsaved-guard.tsx";
import { type Drafting, useDraft } from "./use-settings.ts";
import { words } from "./words.ts";

type Tab = NonNullable<ReturnType<typeof settingsSearch>["tab"]> | "house";

const TABS = [
  {
    value: "house",
    word: "tabHouse",
    names: ["name", "logo", "accent", "public_url", "language"],
  },
  {
    value: "sign-in",
    word: "tabSignIn",
    names: [
      ...["password_sign_in", "passkeys", "registration", "registration_balance"],
      ...["oidc_issuer", "oidc_client_id", "oidc_client_secret", "oidc_name"],
    ],
  },
  {
    value: "mail",
    word: "tabMail",
    names: ["smtp_host", "smtp_port", "smtp_security", "smtp_user", "smtp_password", "smtp_from"],
  },
  { value: "keys", word: "tabKeys", names: ["sealed_copies"] },
  { value: "log", word: "tabLog", names: ["usage_days"] },
] as const satisfies readonly { value: Tab; word: string; names: readonly string[] }[];

export function Page() {
  const say = useWords(words);
  const { tab = "house" } = useSearch({ from: "/signed-in/operator/settings" });
  const navigate = useNavigate({ from: "/operator/settings" });
  const settings = useApi("GET /operator/settings");
  const drafting = useDraft();
  if (settings.error instanceof ApiError && settings.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const choose = (next: Tab) =>
    void navigate({ search: next === "house" ? {} : { tab: next }, replace: true, resetScroll: false });
  const content =
    settings.data !== undefined ? (
      <Shown tab={tab} settings={settings.data.settings} drafting={drafting} />
    ) : settings.error !== null ? (
      <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
    ) : (
      <div className="grid gap-3.5">
        <Skeleton className="h-44 w-full" />
        <Skeleton className="h-44 w-full" />
      </div>
    );
  return (
    <>
      <PageHeader title={say("title")} description={say("description")} />
      <UnsavedGuard isOn={Object.keys(drafting.draft).length > 0} />
      <Tabs
        label={say("parts")}
        value={tab}
        onChange={choose}
        tabs={TABS.map(({ value, word, names }) => ({
          value,
          label: (
            <TabName text={say(word)} isChanged={Object.keys(partOf(drafting.draft, names)).length > 0} />
          ),
          content: value === tab ? <div className="grid max-w-2xl gap-3.5">{content}</div> : null,
        }))}
      />
    </>
  );
}

/** With a dot where something is not saved. */
function TabName({ text, isChanged }: { text: string; isChanged: boolean }) {
  const say = useWords(words);
  if (!isChanged) return text;
  return (
    <>
      <span aria-hidden className="flex items-center gap-1.5">
        {text}
        <i className="size-1.5 rounded-full bg-accent" />
      </span>
      <span className="sr-only">{say("unsaved", { part: text })}</span>
    </>
  );
}

type ShownProps = { tab: Tab; settings: readonly Setting[]; drafting: Drafting };

function Shown({ tab, settings, drafting }: ShownProps) {
  const say = useWords(words);
  const given = { settings, drafting };
  switch (tab) {
    case "house":
      return (
        <>
          <Section
            {...given}
            title={say("look")}
            description={say("lookText")}
            names={["name", "logo", "accent"]}
          />
          <Section
            {...given}
            title={say("place")}
            description={say("placeText")}
            names={["public_url", "language"]}
          />
        </>
      );
    case "sign-in":
      return <SignInPart {...given} />;
    case "mail":
      return <MailPart {...given} />;
    case "keys":
      return <KeysPart {...given} />;
    case "log":
      return <Section {...given} title={say("log")} description={say("logText")} names={["usage_days"]} />;
  }
}
