import { useHouse } from "../../api/house.ts";
import type { Account } from "./account.ts";
import { OidcPanel } from "./oidc-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { TwoFactorPanel } from "./two-factor-panel.tsx";

/** Every way to sign in. */
export function SecurityTab({ account }: { account: Account }) {
  const service = useHouse().data?.oidc ?? null;
  return (
    <div className="grid max-w-3xl gap-3.5">
      <PasswordPanel account={account} />
      <TwoFactorPanel account={account} />
      <PasskeysPanel account={account} />
      {service === null ? null : <OidcPanel account={account} service={service} />}
    </div>
  );
}
