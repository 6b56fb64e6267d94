import { changeAccounts, signOutAccount } from "./account-admin.ts";
import { limitAccount } from "./account-limits.ts";
import { addAccount, enableAccount, moveBalance } from "./accounts.ts";
import { claimSweep, tellAlerts } from "./alerts.ts";
import { applySpec } from "./apply.ts";
import { readCatalogue, revision } from "./catalogue.ts";
import { createCodes, redeemCode, revokeCode } from "./codes.ts";
import { addCredential, removeCredential } from "./credentials.ts";
import { claimDeliveries, lookAtOutbox, releaseDeliveries, tidyDeliveries } from "./deliveries.ts";
import { makeTest, noteDeliveries, readDelivery, takeAgain } from "./deliveries-note.ts";
import { createGroup, editGroup, removeGroup } from "./groups.ts";
import { announceSealKeys, changeSecret, checkSecret, houseKeys, noteCopy, noteVerified } from "./house.ts";
import { bootsWithHolds, forgetInstance, heartbeat, listInstances } from "./instances.ts";
import { createKey, deleteKey, enableKey, keyHolder, stoppedKeys } from "./keys.ts";
import { changeKey } from "./keys-of-account.ts";
import { rotateKey } from "./keys-replaced.ts";
import { createModel, editModel, editPrices, removeModel } from "./models.ts";
import { arriveByOidc, disconnectOidc } from "./oidc-identities.ts";
import { addPasskey, findPasskey, passkeysOf, provePasskey, removePasskey } from "./passkeys.ts";
import {
  invite,
  makeReset,
  needsSetup,
  register,
  renewSetup,
  takeBackInvitation,
  useLink,
} from "./people.ts";
import { beginPrices, nextPlanned, planPrice, unplanPrice } from "./planned-prices.ts";
import { createPlan, editPlan, removePlan } from "./plans-admin.ts";
import {
  changeProfile,
  personAtTheDoor,
  readPerson,
  setPassword,
  takeRecoveryCode,
  takeTotpStep,
} from "./profiles.ts";
import { refundRequest } from "./refunds.ts";
import { resealRows, sealedPage } from "./sealed-rows.ts";
import { endTotp, renewRecoveryCodes, spendCode, startTotp } from "./second-factor.ts";
import {
  endSession,
  endSessions,
  listSessions,
  openSession,
  proveSession,
  readSession,
  seeSession,
} from "./sessions.ts";
import { changeSettings, forgetCopies, readStored } from "./settings.ts";
import { forgiveThrottles, lookAtThrottles, passThrottles } from "./throttles.ts";
import { listTickets, lookAtTicket, makeTicket, useTicket } from "./tickets.ts";
import { createToken, readToken, revokeToken, seeToken } from "./tokens.ts";
import type { Tx } from "./tx.ts";
import { changeUpstream, orderUpstreams } from "./upstream-admin.ts";
import { recordUpstreams } from "./upstream-record.ts";
import { addUpstream, listUpstreams, removeUpstream, resetUpstream } from "./upstreams.ts";
import { sumUpOldRows } from "./usage-backfill.ts";
import { removeOldRows } from "./usage-retention.ts";
import { rollDay } from "./usage-roll.ts";
import { changeWebhook, createWebhook, removeWebhook, renewWebhookSecret } from "./webhooks.ts";

/** Everything that runs in a transaction of the writer, by name; each takes a transaction and one value. */
export const jobs = {
  "account.add": addAccount,
  "account.move": moveBalance,
  "account.refund": refundRequest,
  "account.enable": enableAccount,
  "account.limit": limitAccount,
  "account.sign_out": signOutAccount,
  "accounts.change": changeAccounts,
  "code.create": createCodes,
  "code.redeem": redeemCode,
  "code.revoke": revokeCode,
  "key.create": createKey,
  "key.enable": enableKey,
  "key.delete": deleteKey,
  "key.rotate": rotateKey,
  "key.change": changeKey,
  "key.holder": keyHolder,
  "keys.stopped": stoppedKeys,
  "catalogue.read": (tx: Tx, _args: Record<string, never>) => readCatalogue(tx),
  "catalogue.revision": (tx: Tx, _args: Record<string, never>) => revision(tx),
  "instance.heartbeat": heartbeat,
  "instance.forget": forgetInstance,
  "instance.list": (tx: Tx, _args: Record<string, never>) => listInstances(tx),
  "instance.holders": (tx: Tx, _args: Record<string, never>) => bootsWithHolds(tx),
  "house.secret": checkSecret,
  "house.keys": houseKeys,
  "house.announce": announceSealKeys,
  "house.change": changeSecret,
  "house.verified": noteVerified,
  "house.note_copy": noteCopy,
  "sealed.page": sealedPage,
  "sealed.replace": resealRows,
  "settings.read": readStored,
  "settings.change": changeSettings,
  "settings.forget_copies": forgetCopies,
  "upstream.list": (tx: Tx, _args: Record<string, never>) => listUpstreams(tx),
  "upstream.add": addUpstream,
  "upstream.change": changeUpstream,
  "upstream.order": orderUpstreams,
  "upstream.remove": removeUpstream,
  "upstream.reset": resetUpstream,
  "upstream.record": recordUpstreams,
  "credential.add": addCredential,
  "credential.remove": removeCredential,
  "person.read": readPerson,
  "person.at_the_door": personAtTheDoor,
  "person.register": register,
  "person.invite": invite,
  "person.take_back": takeBackInvitation,
  "person.reset": makeReset,
  "person.use_link": useLink,
  "profile.change": changeProfile,
  "profile.password": setPassword,
  "profile.totp_step": takeTotpStep,
  "profile.recovery_code": takeRecoveryCode,
  "session.open": openSession,
  "session.read": readSession,
  "session.see": seeSession,
  "session.prove": proveSession,
  "session.end": endSession,
  "session.list": listSessions,
  "sessions.end": endSessions,
  "setup.needed": (tx: Tx, _args: Record<string, never>) => needsSetup(tx),
  "setup.renew": renewSetup,
  "throttle.look": lookAtThrottles,
  "throttle.pass": passThrottles,
  "throttle.forgive": forgiveThrottles,
  "token.create": createToken,
  "token.read": readToken,
  "token.see": seeToken,
  "token.revoke": revokeToken,
  "ticket.make": makeTicket,
  "ticket.look": lookAtTicket,
  "ticket.use": useTicket,
  "ticket.list": listTickets,
  "code.spend": spendCode,
  "totp.start": startTotp,
  "totp.end": endTotp,
  "totp.recovery_codes": renewRecoveryCodes,
  "passkey.add": addPasskey,
  "passkey.find": findPasskey,
  "passkey.prove": provePasskey,
  "passkey.remove": removePasskey,
  "passkey.list": passkeysOf,
  "oidc.arrive": arriveByOidc,
  "oidc.disconnect": disconnectOidc,
  "usage.sum_up": sumUpOldRows,
  "usage.roll_day": rollDay,
  "usage.remove_old": removeOldRows,
  "group.create": createGroup,
  "group.edit": editGroup,
  "group.remove": removeGroup,
  "model.create": createModel,
  "model.edit": editModel,
  "model.remove": removeModel,
  "prices.edit": editPrices,
  "price.plan": planPrice,
  "price.unplan": unplanPrice,
  "prices.begin": beginPrices,
  "plan.create": createPlan,
  "plan.edit": editPlan,
  "plan.remove": removePlan,
  "outbox.look": lookAtOutbox,
  "prices.next_planned": (tx: Tx, _args: Record<string, never>) => nextPlanned(tx),
  "deliveries.claim": claimDeliveries,
  "deliveries.note": noteDeliveries,
  "deliveries.release": releaseDeliveries,
  "deliveries.tidy": tidyDeliveries,
  "delivery.test": makeTest,
  "delivery.again": takeAgain,
  "delivery.read": readDelivery,
  "webhook.create": createWebhook,
  "webhook.change": changeWebhook,
  "webhook.secret": renewWebhookSecret,
  "webhook.remove": removeWebhook,
  "alerts.tell": tellAlerts,
  "alerts.claim_sweep": claimSweep,
  apply: applySpec,
} as const;

export type Jobs = typeof jobs;

/** These change nothing, so they take no write lock. */
export const readingJobs: ReadonlySet<string> = new Set<keyof Jobs>([
  "key.holder",
  "keys.stopped",
  "catalogue.read",
  "catalogue.revision",
  "instance.list",
  "outbox.look",
  "prices.next_planned",
  "delivery.read",
  "house.keys",
  "sealed.page",
  "settings.read",
  "instance.holders",
  "upstream.list",
  "person.read",
  "person.at_the_door",
  "session.read",
  "session.list",
  "setup.needed",
  "throttle.look",
  "ticket.look",
  "token.read",
  "ticket.list",
  "passkey.find",
  "passkey.list",
]);
