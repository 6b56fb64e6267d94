import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { HouseSettings } from "../domain/settings.ts";
import { mailServer } from "../domain/settings-house.ts";
import type { Language } from "../store/profiles.ts";
import type { Store } from "../store/store.ts";
import type { AddressRules } from "../upstream/address-rules.ts";
import { type MailWay, sendLetter } from "../upstream/mail.ts";
import type { MailProblem } from "../upstream/mail-problem.ts";
import type { Mail } from "./mails/mail.ts";
import { writeMail } from "./mails/write-mail.ts";

export type MailTo = {
  email: string;
  /** For whoever has no account yet, or has not chosen; the house's own choice comes first. */
  language?: Language | null;
  /** What the mail is known by, where it may be sent again; otherwise it is a new one. */
  name?: string;
};

export type Mailer = {
  /** Whether the house has a mail server. */
  isSet: () => boolean;
  /** Null where the server has taken it; the problem says what to change. */
  send: (to: MailTo, mail: Mail) => Promise<MailProblem | null>;
  /** Does it after whoever asked has been answered: a few at once, and no more than can wait. */
  later: (work: () => Promise<void>) => void;
};

export type MailerParts = Clock &
  Pick<MailWay, "lookUp" | "tls"> & {
    store: Pick<Store, "run">;
    log: Log;
    settings: () => HouseSettings;
    randomBytes: (count: number) => Uint8Array;
    rules: AddressRules;
  };

const NOT_SET: MailProblem = {
  sentence: "No e-mail can be sent from here yet: set a mail server and a sender in the settings.",
  status: null,
  isFinal: true,
};

/** Sends what has to be sent at once, in the language of whoever gets it. */
export function mailer(parts: MailerParts): Mailer {
  const { settings, log, rules, lookUp, tls, nowMs } = parts;
  const way = { rules, ...(lookUp === undefined ? {} : { lookUp }), ...(tls === undefined ? {} : { tls }) };
  const send: Mailer["send"] = async (to, mail) => {
    const house = settings();
    const server = mailServer(house);
    if (server === null) return NOT_SET;
    const language = await languageOf(parts, to);
    const domain = server.from.slice(server.from.lastIndexOf("@") + 1);
    const name = to.name ?? Buffer.from(parts.randomBytes(16)).toString("hex");
    const letter = {
      ...writeMail(mail, { language, house: house.name }),
      ...{ to: to.email, fromName: house.name, messageId: `<${name}@${domain}>`, dateMs: nowMs() },
    };
    const problem = await sendLetter(letter, { server, ...way });
    if (problem === null) log("info", "mail.sent", { kind: mail.kind });
    else log("warn", "mail.not_sent", { kind: mail.kind, why: problem.sentence });
    return problem;
  };
  return { isSet: () => mailServer(settings()) !== null, send, later: waitingRoom(log) };
}

async function languageOf({ store, settings }: MailerParts, to: MailTo): Promise<Language> {
  const person = await store.run("person.read", { email: to.email });
  const { language } = settings();
  return person?.profile.language ?? (language === "auto" ? (to.language ?? "en") : language);
}

const AT_ONCE_MAX = 4;
const WAITING_MAX = 200;

/** What finds no room is dropped and told: strangers can ask for mails, and must not fill the house with them. */
function waitingRoom(log: Log): Mailer["later"] {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  const next = () => {
    const work = running < AT_ONCE_MAX ? waiting.shift() : undefined;
    if (work === undefined) return;
    running += 1;
    work()
      .catch((error: unknown) => {
        log("error", "mail.failed", { why: error instanceof Error ? error.message : String(error) });
      })
      .finally(() => {
        running -= 1;
        next();
      });
  };
  return work => {
    if (waiting.length >= WAITING_MAX) return log("warn", "mail.dropped", { waiting: waiting.length });
    waiting.push(work);
    next();
  };
}
