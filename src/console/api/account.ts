import { balanceIsLow } from "../../domain/account.ts";
import { formatUsd, type Nanos, parseUsd } from "../../domain/money.ts";
import type { Profile } from "../../store/profiles.ts";
import type { Calls } from "../contract/contract.ts";
import { byOf } from "../control.ts";
import { readCode, redeemCode } from "../redeem.ts";
import { demandGoodPassword } from "../sign-in/password-rules.ts";
import { shownName } from "../sign-in/shown-name.ts";
import { forgive, throttle, throttleOf } from "../sign-in/throttle.ts";
import { demandPasswords } from "../sign-in/ways.ts";
import { ledgerView, subscriptionsView, timeOrNull } from "./account-view.ts";
import { limitsView } from "./keys-view.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handlers, SignedIn } from "./visit.ts";

type AccountView = Calls["GET /account"]["answer"];
type AccountChange = Calls["PATCH /account"]["body"];

export const accountHandlers = {
  "GET /account": accountView,

  "PATCH /account": async (visit, { body }) => {
    const { desk, visitor } = visit;
    const change = { accountId: visitor.id, change: profileChange(body), by: byOf(visit.control) };
    await desk.store.run("profile.change", change);
    return accountView(visit);
  },

  "POST /account/password": async ({ desk, visitor, control }, { body }) => {
    demandPasswords(desk, visitor.role);
    demandGoodPassword(body.password, { email: visitor.email });
    const passwordHash = await desk.passwords.hash(body.password);
    const by = byOf(control);
    const change = { accountId: visitor.id, passwordHash, keepSession: visitor.sessionId, by };
    await desk.store.run("profile.password", change);
    return { done: true };
  },

  "GET /account/ledger": ({ desk, visitor }, { query }) =>
    ledgerView(desk, { accountId: visitor.id, ...query }),

  "POST /account/redeem": async (visit, { body }) => {
    const { control, visitor } = visit;
    const tries = throttleOf("redeem", visitor.id);
    await throttle(visit, tries);
    const read = readCode(body.code);
    if ("problem" in read) {
      const { problem: message } = read;
      throw new ConsoleProblem("invalid", message, { fields: [{ path: "code", message }] });
    }
    const { account, amount } = await redeemCode(control, { email: visitor.email, code: read.code });
    await forgive(visit, tries);
    return { amount_usd: formatUsd(amount), balance_usd: formatUsd(account.balance) };
  },
} satisfies Pick<
  Handlers,
  | "GET /account"
  | "PATCH /account"
  | "POST /account/password"
  | "GET /account/ledger"
  | "POST /account/redeem"
>;

async function accountView({ desk, visitor, nowMs }: SignedIn): Promise<AccountView> {
  const page = await desk.store.report("account.page", { accountId: visitor.id });
  if (page === null) throw new ConsoleProblem("not_signed_in", "This account is no more.");
  const { account, profile, createdAtMs, oidcIdentities } = page.person;
  return {
    id: account.id,
    email: account.email,
    name: profile.name,
    role: account.role,
    created_at: time(createdAtMs),
    balance_usd: formatUsd(account.balance),
    held_usd: formatUsd(account.held),
    low_balance_usd: amountOrNull(profile.lowBalance),
    balance_is_low: balanceIsLow(account, profile.lowBalance),
    subscriptions: subscriptionsView(page.pockets, nowMs),
    limits: limitsView(account),
    language: profile.language,
    theme: profile.theme,
    has_password: profile.passwordHash !== null,
    totp: { is_on: profile.totp !== null, recovery_codes_left: profile.recoveryCodes.length },
    passkeys: page.passkeys.map(({ id, name, createdAtMs: made, lastUsedAtMs }) => ({
      id,
      name,
      created_at: time(made),
      last_used_at: timeOrNull(lastUsedAtMs),
    })),
    oidc: { is_connected: oidcIdentities > 0 },
  };
}

function profileChange(body: AccountChange): Partial<Profile> {
  const { name, language, theme, low_balance_usd: low } = body;
  const bare = name?.trim();
  return {
    ...(bare === undefined
      ? {}
      : { name: bare === "" ? "" : shownName(bare, { what: "The name", path: "name" }) }),
    ...(language === undefined ? {} : { language }),
    ...(theme === undefined ? {} : { theme }),
    ...(low === undefined ? {} : { lowBalance: low === null ? null : parseUsd(low) }),
  };
}

function amountOrNull(nanos: Nanos | null): string | null {
  return nanos === null ? null : formatUsd(nanos);
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
