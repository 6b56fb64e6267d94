import { Fingerprint } from "lucide-react";
import { type Answer, addressOf } from "../../api/client.ts";
import { canPasskey } from "../../browser/passkey.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

type House = Answer<"GET /house">;

export function hasPasskeys(house: House | null): boolean {
  return canPasskey() && house?.passkeys !== false;
}

type Props = {
  house: House | null;
  to: string;
  isBusy: boolean;
  /** Whether a password is asked for above. */
  isBelow: boolean;
  onPasskey: () => void;
};

/** Passkey and sign-in service, as far as the house has them. */
export function OtherWays({ house, to, isBusy, isBelow, onPasskey }: Props) {
  const say = useWords(words);
  const oidc = house?.oidc ?? null;
  const isPasskey = hasPasskeys(house);
  if (!isPasskey && oidc === null) {
    return isBelow ? null : <Banner tone="warn">{say("noWay")}</Banner>;
  }
  return (
    <>
      {isBelow ? (
        <div className="flex items-center gap-3 text-ink-3 text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {say("or")}
        </div>
      ) : null}
      <div className="grid gap-2">
        {isPasskey ? (
          <Button
            busy={isBusy}
            onClick={onPasskey}
            icon={<Fingerprint size={16} aria-hidden />}
            className="h-[38px]! w-full"
          >
            {say("passkey")}
          </Button>
        ) : null}
        {oidc === null ? null : (
          <a
            href={addressOf("GET /sign-in/oidc", { query: { return: to } })}
            className={`${buttonClass()} h-[38px]! w-full`}
          >
            <span dir="auto">{say("oidc", { name: oidc })}</span>
          </a>
        )}
      </div>
    </>
  );
}
