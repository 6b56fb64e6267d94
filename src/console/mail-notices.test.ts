import { expect, test } from "bun:test";
import { houseSettings } from "../domain/settings-house.ts";
import type { ClaimedDelivery } from "../store/deliveries.ts";
import type { MailProblem } from "../upstream/mail-problem.ts";
import type { MailTo } from "./mail.ts";
import { mailNotices } from "./mail-notices.ts";
import type { Mail } from "./mails/mail.ts";

const AT = "2027-01-02T03:04:05.000Z";

function rig(problem: MailProblem | null = null, isSet = true) {
  const sent: { to: MailTo; mail: Mail }[] = [];
  const bring = mailNotices({
    mail: {
      isSet: () => isSet,
      send: async (to, mail) => {
        sent.push({ to, mail });
        return problem;
      },
      later: () => {},
    },
    settings: () => houseSettings({ fixed: {}, stored: { publicUrl: "https://house.test" } }).settings,
  });
  return { sent, bring };
}

function row(event: string, data: object): ClaimedDelivery {
  const body = JSON.stringify({ type: event, timestamp: AT, data });
  const tries = { state: "waiting", tries: 0, status: null, problem: null } as const;
  return {
    ...{
      id: "dlv_1",
      webhookId: null,
      webhook: null,
      recipient: "ann@example.org",
      event,
      about: "acc_1",
      body,
    },
    ...tries,
    ...{ createdAtMs: 0, triedAtMs: null, nextAtMs: null },
  } as ClaimedDelivery;
}

const DONE = { ok: true, status: null, problem: null };

test("a low balance is told with what is left, under the name of its delivery", async () => {
  const { sent, bring } = rig();
  const data = { account: { id: "acc_1", email: "ann@example.org" }, balance_usd: "0.5", threshold_usd: "1" };
  expect(await bring()?.(row("balance.low", data))).toEqual(DONE);
  expect(sent).toEqual([
    {
      to: { email: "ann@example.org", name: "dlv_1" },
      mail: {
        ...{ kind: "low_balance", balanceUsd: "0.5", thresholdUsd: "1" },
        link: "https://house.test/console/account",
      },
    },
  ]);
});

test("whoever has chosen no amount is not told of one", async () => {
  const { sent, bring } = rig();
  await bring()?.(row("balance.low", { balance_usd: "0.00", threshold_usd: "0.00" }));
  expect(sent[0]?.mail).toMatchObject({ kind: "low_balance", balanceUsd: "0.00", thresholdUsd: null });
});

test("a change of an operator is told with what was changed, by whom and when", async () => {
  const { sent, bring } = rig();
  const fields = [{ field: "role", before: "operator", after: "holder" }];
  await bring()?.(row("operator.changed", { action: "update", fields, by: "eve@example.org" }));
  expect(sent[0]?.mail).toEqual({
    ...{ kind: "operator_changed", action: "update", changes: fields, by: "eve@example.org" },
    atMs: Date.parse(AT),
  });
});

test("of a link for a forgotten password nobody is told twice", async () => {
  const { sent, bring } = rig();
  const data = { action: "make reset link", fields: [], by: "sign-in page" };
  expect(await bring()?.(row("operator.changed", data))).toEqual(DONE);
  expect(sent).toEqual([]);
});

test("a problem is told with whether another try may help, and what is no mail is given up", async () => {
  const { bring } = rig({ sentence: "Refused.", status: 550, isFinal: true });
  const low = row("balance.low", { balance_usd: "0" });
  expect(await bring()?.(low)).toEqual({ ok: false, status: 550, problem: "Refused.", isFinal: true });
  expect(await bring()?.(row("key.created", {}))).toMatchObject({ ok: false, isFinal: true });
  expect(await bring()?.({ ...low, recipient: null })).toMatchObject({ ok: false, isFinal: true });
});

test("while no mail can be sent there is nobody who brings it", () => {
  expect(rig(null, false).bring()).toBeNull();
});
