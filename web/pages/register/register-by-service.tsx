import { addressOf } from "../../api/client.ts";
import { buttonClass } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

/** Where holders have no passwords, the account is made by the house's sign-in service. */
export function RegisterByService({ name }: { name: string | null }) {
  const say = useWords(words);
  const service = name ?? say("service");
  return (
    <div className="panel grid gap-4 p-5">
      <p className="text-ink-2" dir="auto">
        {say("byServiceText", { name: service })}
      </p>
      <a
        href={addressOf("GET /sign-in/oidc", { query: { return: "/keys" } })}
        className={`${buttonClass("primary")} h-[38px]! w-full`}
      >
        <span dir="auto">{say("byService", { name: service })}</span>
      </a>
    </div>
  );
}
