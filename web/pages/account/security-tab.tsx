import { useHouse } from "../../api/house.ts";
import type { Account } from "./account.ts";
import { OidcPanel } from "./oidc-panel.tsx";
import { PasskeysPanel } from "./passkeys-panel.tsx";
import { PasswordPanel } from "./password-panel.tsx";
import { TwoFactorPanel } from "./two-factor-panel.tsx";

/** Every way to sign in. */
export function SecurityTab({ account }: { account: Account }) {
  const { data: house } = useHouse();
  const service = house?.oidc ?? null;
  const hasPasswords = account.role === "operator" || house?.password_sign_in !== false;
  // What somebody has stays to be seen and removed; only new ones need the house to have them.
  const hasPasskeys = house?.passkeys !== false || account.passkeys.length > 0;
  return (
    <div className="grid max-w-3xl gap-3.5">
      {hasPasswords ? <PasswordPanel account={account} /> : null}
      <TwoFactorPanel account={account} />
      {hasPasskeys ? <PasskeysPanel account={account} isOn={house?.passkeys !== false} /> : null}
      {service === null ? null : <OidcPanel account={account} service={service} />}
    </div>
  );
}
