/** What is said by mail, apart from the words. */
export type Mail =
  | { kind: "invitation"; link: string; by: string; untilMs: number }
  /** Without a name, whoever gets it has asked for it themselves. */
  | { kind: "reset"; link: string; by: string | null; untilMs: number }
  | { kind: "low_balance"; balanceUsd: string; thresholdUsd: string | null; link: string | null }
  | { kind: "operator_changed"; changes: readonly Change[]; action: string; by: string; atMs: number }
  | { kind: "test"; by: string };

export type MailKind = Mail["kind"];

/** As the audit tells it. */
export type Change = { field: string; before: string; after: string };

/** A mail in one language, before it is text or markup. */
export type Wording = {
  subject: string;
  paragraphs: readonly string[];
  /** What to press. */
  action: { label: string; url: string } | null;
  /** Said smaller, below. */
  notes: readonly string[];
};

export type MailOf<K extends MailKind> = Extract<Mail, { kind: K }>;

/** One for every kind: a missing one does not compile. */
export type MailWords = {
  [K in MailKind]: (mail: MailOf<K>, house: string) => Wording;
} & {
  /** Below every mail. */
  sentBy: (house: string) => string;
};
