import { accountHandlers } from "./account.ts";
import { accountTotpHandlers } from "./account-totp.ts";
import { checkHandlers } from "./check.ts";
import { confirmHandlers } from "./confirm.ts";
import { forgotHandlers } from "./forgot.ts";
import { groupHandlers } from "./groups.ts";
import { houseHandlers } from "./house.ts";
import { importHandlers } from "./imports.ts";
import { keyHandlers } from "./keys.ts";
import { linkHandlers } from "./links.ts";
import { modelHandlers } from "./models.ts";
import { oidcHandlers } from "./oidc.ts";
import { operatorAccountHandlers } from "./operator/accounts.ts";
import { accountKeyHandlers } from "./operator/accounts-keys.ts";
import { accountsManyHandlers } from "./operator/accounts-many.ts";
import { auditHandlers } from "./operator/audit.ts";
import { codeHandlers } from "./operator/codes.ts";
import { operatorGroupHandlers } from "./operator/groups.ts";
import { mailTestHandlers } from "./operator/mail.ts";
import { operatorModelHandlers } from "./operator/models.ts";
import { overviewHandlers } from "./operator/overview.ts";
import { planHandlers } from "./operator/plans.ts";
import { presetHandlers } from "./operator/presets.ts";
import { priceHandlers } from "./operator/prices.ts";
import { settingHandlers } from "./operator/settings.ts";
import { tokenHandlers } from "./operator/tokens.ts";
import { upstreamHandlers } from "./operator/upstreams.ts";
import { upstreamConnectHandlers } from "./operator/upstreams-connect.ts";
import { upstreamKeyHandlers } from "./operator/upstreams-keys.ts";
import { operatorUsageHandlers } from "./operator/usage.ts";
import { webhookHandlers } from "./operator/webhooks.ts";
import { whatIfHandlers } from "./operator/what-if.ts";
import { passkeyHandlers } from "./passkeys.ts";
import { peopleHandlers } from "./people.ts";
import { secondFactorHandlers } from "./second-factor.ts";
import { sessionHandlers } from "./sessions.ts";
import { setupHandlers } from "./setup.ts";
import { signInHandlers } from "./sign-in.ts";
import { tryHandlers } from "./try.ts";
import { usageHandlers } from "./usage.ts";
import type { Handlers } from "./visit.ts";

/** One for every endpoint, by noun. */
export const handlers: Handlers = {
  ...houseHandlers,
  ...groupHandlers,
  ...importHandlers,
  ...keyHandlers,
  ...modelHandlers,
  ...setupHandlers,
  ...checkHandlers,
  ...signInHandlers,
  ...forgotHandlers,
  ...mailTestHandlers,
  ...linkHandlers,
  ...sessionHandlers,
  ...peopleHandlers,
  ...operatorModelHandlers,
  ...priceHandlers,
  ...operatorGroupHandlers,
  ...planHandlers,
  ...whatIfHandlers,
  ...operatorAccountHandlers,
  ...accountKeyHandlers,
  ...accountsManyHandlers,
  ...codeHandlers,
  ...auditHandlers,
  ...tokenHandlers,
  ...overviewHandlers,
  ...settingHandlers,
  ...presetHandlers,
  ...upstreamHandlers,
  ...upstreamConnectHandlers,
  ...upstreamKeyHandlers,
  ...operatorUsageHandlers,
  ...webhookHandlers,
  ...tryHandlers,
  ...accountHandlers,
  ...accountTotpHandlers,
  ...confirmHandlers,
  ...oidcHandlers,
  ...passkeyHandlers,
  ...secondFactorHandlers,
  ...usageHandlers,
};
