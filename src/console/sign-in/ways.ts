import type { AccountRole } from "../../domain/account.ts";
import { ConsoleProblem } from "../api/problem.ts";
import type { Desk } from "../api/visit.ts";
import { oidcService } from "./oidc-service.ts";

/** Which ways to sign in the house has, as it is set now. */

type Asked = Pick<Desk, "settings" | "network">;

/** Operators keep theirs, so that nobody locks the house. */
export function demandPasswords(desk: Asked, role: AccountRole): void {
  if (desk.settings().passwordSignIn || role === "operator") return;
  throw new ConsoleProblem(
    "not_allowed",
    `Passwords are not used here: sign in ${otherWays(desk)}. If you cannot, ask the operator for a link.`,
  );
}

export function demandPasskeys(desk: Asked): void {
  if (desk.settings().passkeys) return;
  throw new ConsoleProblem(
    "not_allowed",
    "Passkeys are not used here. Sign in another way, or ask the operator to switch them on.",
  );
}

function otherWays(desk: Asked): string {
  const service = oidcService(desk);
  const ways = [
    ...(service === null ? [] : [`with ${service.name}`]),
    ...(desk.settings().passkeys ? ["with a passkey"] : []),
  ];
  return ways.length === 0 ? "another way" : ways.join(" or ");
}
