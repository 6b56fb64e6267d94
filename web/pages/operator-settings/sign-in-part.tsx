import { API_ROOT } from "../../api/client.ts";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Section } from "./section.tsx";
import { useFieldSentence, useSentence } from "./sentences.ts";
import type { Setting } from "./setting.ts";
import type { Drafting } from "./use-settings.ts";
import { words } from "./words.ts";

export type PartProps = { settings: readonly Setting[]; drafting: Drafting };

export function SignInPart({ settings, drafting }: PartProps) {
  const say = useWords(words);
  const given = { settings, drafting };
  return (
    <>
      <Section
        {...given}
        title={say("methods")}
        description={say("methodsText")}
        names={["password_sign_in", "passkeys"]}
      />
      <OidcSection {...given} />
      <Section
        {...given}
        title={say("registration")}
        description={say("registrationText")}
        names={["registration", "registration_balance"]}
      />
    </>
  );
}

function OidcSection({ settings, drafting }: PartProps) {
  const say = useWords(words);
  const tell = useSentence();
  const tellProblem = useFieldSentence();
  const value = (name: string) => settings.find(setting => setting.name === name)?.value ?? "";
  const root = value("public_url") === "" ? window.location.origin : value("public_url");
  const test = useCall("POST /operator/settings/sign-in-test");
  return (
    <Section
      settings={settings}
      drafting={drafting}
      title={say("oidc")}
      description={say("oidcText")}
      names={["oidc_issuer", "oidc_client_id", "oidc_client_secret", "oidc_name"]}
      lead={<CodeValue value={`${root}${API_ROOT}/sign-in/oidc/callback`} what={say("redirect")} />}
      actions={isChanged => (
        <Button
          busy={test.isPending}
          disabled={isChanged || value("oidc_issuer") === ""}
          {...(isChanged ? { title: say("saveFirst") } : {})}
          onClick={() => test.mutate({})}
        >
          {say("testOidc")}
        </Button>
      )}
    >
      {test.error === null ? null : <Banner tone="bad">{tell(test.error)}</Banner>}
      {test.data === undefined || test.isPending ? null : test.data.problem === null ? (
        <Banner tone="ok">
          <span role="status">{say("oidcGood", { issuer: test.data.issuer })}</span>
        </Banner>
      ) : (
        <Banner tone="bad">{tellProblem(test.data.problem)}</Banner>
      )}
    </Section>
  );
}
