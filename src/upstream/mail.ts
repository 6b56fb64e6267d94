import { isIP } from "node:net";
import { isEmail } from "../domain/account.ts";
import type { MailServer } from "../domain/settings-house.ts";
import type { AddressRules } from "./address-rules.ts";
import { UpstreamFailure } from "./answer.ts";
import { HostAddresses, type LookUp, systemLookUp } from "./http1-addresses.ts";
import { type MailProblem, mailProblem } from "./mail-problem.ts";

/** Each step of the talk with a mail server has this long, and all of it together, over all its addresses. */
const STEP_MS_MAX = 10_000;
const WHOLE_MS_MAX = 25_000;
/** Of a name with many addresses. */
const ADDRESSES_MAX = 3;

/** Nothing that means something else in a head or a command. */
const PLAIN = /^[^\s<>()[\],;:\\"]+$/;

export type Letter = {
  /** Who it goes to, by the address alone. */
  to: string;
  /** Shown beside the address that it comes from. */
  fromName: string;
  subject: string;
  text: string;
  html: string;
  /** Sent again, a letter has the same one, so that it can be known again. */
  messageId: string;
  dateMs: number;
};

export type MailWay = {
  server: MailServer;
  rules: AddressRules;
  lookUp?: LookUp;
  /** Authorities to trust in place of the system's. */
  tls?: { ca: string };
  stepMsMax?: number;
};

/** Null where the server has taken it. The name is resolved and judged here, and what was judged is connected to. */
export async function sendLetter(letter: Letter, way: MailWay): Promise<MailProblem | null> {
  const { server, rules, lookUp = systemLookUp } = way;
  // Whatever reads it on the way might take a part of anything else for the address.
  if (!isEmail(letter.to) || !PLAIN.test(letter.to))
    return { sentence: "Its recipient is not an e-mail address.", status: null, isFinal: true };
  let problem: MailProblem | null = null;
  const endMs = performance.now() + WHOLE_MS_MAX;
  try {
    const addresses = await new HostAddresses({
      ...{ host: server.host, rules, lookUp, isVouchedFor: false },
    }).get();
    for (const address of addresses.slice(0, ADDRESSES_MAX)) {
      problem = await sendTo(address, letter, { ...way, leftMs: endMs - performance.now() });
      if (problem?.isOfAddress !== true || performance.now() >= endMs) break;
    }
    return problem;
  } catch (error) {
    const why = error instanceof UpstreamFailure ? error.detail : "it cannot be reached";
    const place = `${server.host}:${server.port}`;
    return { sentence: `Cannot connect to ${place}: ${why}.`, status: null, isFinal: false };
  }
}

type Leg = MailWay & { leftMs: number };

async function sendTo(address: string, letter: Letter, way: Leg): Promise<MailProblem | null> {
  const { server } = way;
  // Loaded when the first mail is sent: a gateway that sends none does not pay for it.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport(transportOptions(address, way));
  const tooLong = Promise.withResolvers<never>();
  const timer = setTimeout(() => tooLong.reject(new Error("too slow")), way.leftMs);
  try {
    await Promise.race([transport.sendMail(messageOf(letter, server.from)), tooLong.promise]);
    return null;
  } catch (error) {
    return mailProblem(error, { server, to: letter.to });
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

function transportOptions(address: string, { server, tls, stepMsMax = STEP_MS_MAX }: MailWay) {
  const { host, port, security, user, password, from } = server;
  return {
    ...{ host: address, port },
    ...{ secure: security === "tls", requireTLS: security === "starttls", ignoreTLS: security === "none" },
    // What it calls itself: the machine's own name is nobody's concern.
    name: oneLine(from.slice(from.lastIndexOf("@") + 1)),
    ...(user === null || password === null ? {} : { auth: { user, pass: password }, forceAuth: true }),
    tls: {
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...tls,
      rejectUnauthorized: true,
      minVersion: "TLSv1.2" as const,
    },
    ...{ connectionTimeout: stepMsMax, greetingTimeout: stepMsMax, socketTimeout: stepMsMax },
    ...{ dnsTimeout: stepMsMax, disableFileAccess: true, disableUrlAccess: true, logger: false },
  };
}

function messageOf({ to, fromName, subject, text, html, messageId, dateMs }: Letter, from: string) {
  return {
    from: { name: oneLine(fromName), address: from },
    to: { name: "", address: to },
    envelope: { from, to },
    subject: oneLine(subject),
    ...{ text, html, messageId, date: new Date(dateMs) },
    // Nobody's absence is answered to it.
    headers: { "Auto-Submitted": "auto-generated" },
  };
}

/** Whatever a name holds, it does not begin another line of the head. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .replace(/ +/g, " ")
    .trim();
}
