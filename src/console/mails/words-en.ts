import type { Change, MailWords } from "./mail.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  disable: "Your operator account was disabled.",
  enable: "Your operator account was enabled again.",
  "sign out": "You were signed out everywhere.",
  "make reset link": "A link was made by which a new password can be set for your account.",
  "set password": "A new password was set for your account.",
  "turn off two-factor": "Two-factor was switched off for your account.",
  "renew recovery codes": "Your recovery codes were replaced.",
  "disconnect sign-in service": "Your account was disconnected from the sign-in service.",
};

const time = (ms: number) => {
  const form = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${form.format(ms)} UTC`;
};

const change = ({ field, before, after }: Change) =>
  `${field}: ${before === "" ? "(nothing)" : before} → ${after === "" ? "(nothing)" : after}`;

export const wordsEn: MailWords = {
  sentBy: house => `${house} has sent this by itself. Nobody reads answers to it.`,
  invitation: ({ link, by, untilMs }, house) => ({
    subject: `You are invited to ${house}`,
    paragraphs: [
      `${by} invites you to ${house}: one key and one address for many language models.`,
      "Open the link, choose a password, and you are in.",
    ],
    action: { label: "Accept the invitation", url: link },
    notes: [
      `The link works once, until ${time(untilMs)}.`,
      "If you do not know what this is about, do nothing.",
    ],
  }),
  reset: ({ link, by, untilMs }, house) => ({
    subject: `Set a new password for ${house}`,
    paragraphs: [
      by === null
        ? `Somebody, most likely you, has asked for a new password for your account at ${house}.`
        : `${by} has made a link for you by which you set a new password for your account at ${house}.`,
    ],
    action: { label: "Set a new password", url: link },
    notes: [
      `The link works once, until ${time(untilMs)}. Your old password works until you have set a new one.`,
      by === null
        ? "If it was not you, do nothing: without the link nobody can change anything."
        : "If you did not ask for it, ask them before you use it.",
    ],
  }),
  low_balance: ({ balanceUsd, thresholdUsd, link }, house) => ({
    subject: `Your balance at ${house} is low`,
    paragraphs: [
      thresholdUsd === null
        ? `Your balance at ${house} is ${balanceUsd} USD.`
        : `Your balance at ${house} is ${balanceUsd} USD, which is below the ${thresholdUsd} USD that you wanted to hear about.`,
      "When it is used up, requests that your balance pays for are refused.",
    ],
    action: link === null ? null : { label: "Look at the balance", url: link },
    notes: ["You choose on the account page from which amount on you are told."],
  }),
  operator_changed: ({ changes, action, by, atMs }, house) => ({
    subject: `Your operator account at ${house} was changed`,
    paragraphs: [
      ACTIONS[action] ?? "Your operator account was changed.",
      ...changes.map(change),
      `By ${by}, on ${time(atMs)}.`,
    ],
    action: null,
    notes: ["If this should not have happened, talk to the other operators, and look at the audit."],
  }),
  test: ({ by }, house) => ({
    subject: `A test mail from ${house}`,
    paragraphs: [
      `E-mail works: ${house} can send invitations and links by it. ${by} has asked for this test.`,
    ],
    action: null,
    notes: [],
  }),
};
