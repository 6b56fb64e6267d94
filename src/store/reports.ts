import { accountDetail } from "./account-admin.ts";
import { accountLedger, accountPage } from "./account-page.ts";
import { accountByEmail, ledgerPage, listAccounts } from "./accounts.ts";
import { alertPage } from "./alerts-page.ts";
import { verifyAudit } from "./audit.ts";
import { auditChain, auditNames, auditPage } from "./audit-page.ts";
import { codesPage } from "./codes.ts";
import { deliveryPage, dueDeliveries } from "./deliveries.ts";
import { listGroups } from "./groups.ts";
import { lastBackup } from "./house.ts";
import { listKeys } from "./keys.ts";
import { keyOfAccount, keysOfAccount, sealedCopy } from "./keys-of-account.ts";
import { accountPockets } from "./keys-pockets.ts";
import { datedCatalogue, priceVersions } from "./models.ts";
import { houseOverview } from "./overview.ts";
import { houseConcerns } from "./overview-attention.ts";
import { listPeople } from "./people.ts";
import { plannedPrices } from "./planned-prices.ts";
import { planPage } from "./plans-admin.ts";
import { receiptCount, receiptPage } from "./receipts.ts";
import { countCopies } from "./settings.ts";
import { listTokens } from "./tokens.ts";
import type { Tx } from "./tx.ts";
import { upstreamErrors, upstreamFigures, upstreamHours } from "./upstream-admin-figures.ts";
import { upstreamTraffic } from "./upstream-health.ts";
import { upstreamEvents, upstreamStates } from "./upstream-record.ts";
import { usagePage } from "./usage.ts";
import { keptFrom } from "./usage-kept.ts";
import { usageLines, usageRows } from "./usage-lines.ts";
import { houseNames, usageNames } from "./usage-names.ts";
import { houseLines, houseReceipt, houseRows } from "./usage-operator.ts";
import { usageReceipt } from "./usage-receipt.ts";
import { usageCount, usageSummary } from "./usage-summary.ts";
import { verifyLedger } from "./verify.ts";
import { listWebhooks } from "./webhooks.ts";
import { chargedRows, emailsById, hasMoreRows, pricesById } from "./what-if-rows.ts";

/** Everything that only reads, and may take its time: run apart from the writer. */
export const reports = {
  accounts: (tx: Tx, _args: Record<string, never>) => listAccounts(tx),
  account: (tx: Tx, args: { email: string }) => accountByEmail(tx, args.email),
  ledger: ledgerPage,
  people: (tx: Tx, _args: Record<string, never>) => listPeople(tx),
  codes: codesPage,
  "audit.page": auditPage,
  "audit.names": (tx: Tx, _args: Record<string, never>) => auditNames(tx),
  "audit.chain": auditChain,
  tokens: (tx: Tx, _args: Record<string, never>) => listTokens(tx),
  keys: listKeys,
  "keys.of_account": keysOfAccount,
  "key.of_account": keyOfAccount,
  "key.sealed_copy": sealedCopy,
  "account.pockets": accountPockets,
  "account.page": accountPage,
  "account.detail": accountDetail,
  "account.ledger": accountLedger,
  usage: usagePage,
  "usage.lines": usageLines,
  "usage.rows": usageRows,
  "usage.receipt": usageReceipt,
  "usage.summary": usageSummary,
  "usage.count": usageCount,
  "usage.names": usageNames,
  "usage.kept_from": keptFrom,
  "usage.house_lines": houseLines,
  "usage.house_rows": houseRows,
  "usage.house_receipt": houseReceipt,
  "usage.house_names": (tx: Tx, _args: Record<string, never>) => houseNames(tx),
  overview: houseOverview,
  "overview.concerns": houseConcerns,
  "upstream.states": (tx: Tx, _args: Record<string, never>) => upstreamStates(tx),
  "upstream.events": upstreamEvents,
  "upstream.figures": upstreamFigures,
  "upstream.errors": upstreamErrors,
  "upstream.hours": upstreamHours,
  "upstream.traffic": upstreamTraffic,
  "audit.verify": verifyAudit,
  webhooks: (tx: Tx, _args: Record<string, never>) => listWebhooks(tx),
  "deliveries.due": dueDeliveries,
  "deliveries.page": deliveryPage,
  "alerts.page": alertPage,
  "house.backed_up": lastBackup,
  "settings.copies": countCopies,
  "groups.list": listGroups,
  "models.dated": datedCatalogue,
  "prices.versions": priceVersions,
  "prices.planned": plannedPrices,
  "plans.page": planPage,
  "what_if.rows": chargedRows,
  "what_if.has_more": hasMoreRows,
  "what_if.prices": pricesById,
  "what_if.emails": emailsById,
  verify: verifyLedger,
  receipts: receiptPage,
  "receipts.count": receiptCount,
} as const;

export type Reports = typeof reports;
