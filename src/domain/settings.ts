import type { Nanos } from "./money.ts";
import { type Accent, accentProblem, accentTones, readColour } from "./settings-accent.ts";
import { type Logo, readLogo } from "./settings-logo.ts";
import {
  amount,
  emailAddress,
  host,
  issuer,
  line,
  oneOf,
  onOff,
  type Reader,
  rootUrl,
  shown,
  whole,
  wholeOrNone,
} from "./settings-values.ts";

/** Everything that is set while the house runs: by the environment, else in the console, else as it begins. */
export type HouseSettings = {
  /** Null: where it listens. */
  publicUrl: string | null;
  registration: "off" | "open";
  registrationBalance: Nanos;
  /** Of holders; operators keep theirs, so that nobody locks the house. */
  passwordSignIn: boolean;
  passkeys: boolean;
  oidcIssuer: string | null;
  oidcClientId: string | null;
  /** Null: a public client. */
  oidcClientSecret: string | null;
  oidcName: string;
  smtpHost: string | null;
  /** Null: the usual one of the security. */
  smtpPort: number | null;
  smtpSecurity: SmtpSecurity;
  smtpUser: string | null;
  smtpPassword: string | null;
  smtpFrom: string | null;
  /** 0: for ever. */
  usageDays: number;
  sealedCopies: boolean;
  /** For whoever has not chosen. */
  language: "auto" | "en" | "zh";
  name: string;
  logo: Logo | null;
  accent: Accent | null;
};

export type SmtpSecurity = "tls" | "starttls" | "none";
export type SettingKey = keyof HouseSettings;
export type SettingKind =
  | "text"
  | "url"
  | "switch"
  | "whole"
  | "usd"
  | "choice"
  | "secret"
  | "colour"
  | "image";

export type Setting<T> = {
  /** The variable that fixes it. */
  env: string;
  fallback: string | null;
  meaning: string;
  kind: SettingKind;
  choices?: readonly string[];
  secret?: true;
  read: Reader<T>;
};

const DAYS_MAX = 36_500;
const NAME_CHARACTERS_MAX = 40;
const OIDC_NAME_CHARACTERS_MAX = 100;
const LINE_CHARACTERS_MAX = 500;
const SECRET_CHARACTERS_MAX = 4_096;

const ON_OFF = ["on", "off"];
const REGISTRATION = ["off", "open"] as const;
const SECURITY = ["tls", "starttls", "none"] as const;
const LANGUAGES = ["auto", "en", "zh"] as const;

/** One list, for environment, console and command line: each value is checked by one rule, wherever it comes from. */
export const settings: { readonly [K in SettingKey]: Setting<HouseSettings[K]> } = {
  publicUrl: {
    env: "WICKETGATE_PUBLIC_URL",
    fallback: null,
    meaning: "root address as clients see it, without /v1",
    kind: "url",
    read: rootUrl,
  },
  registration: {
    env: "WICKETGATE_REGISTRATION",
    fallback: "off",
    meaning: "who may make an account in the console: off (by invitation only), open (anybody)",
    kind: "choice",
    choices: REGISTRATION,
    read: oneOf(...REGISTRATION),
  },
  registrationBalance: {
    env: "WICKETGATE_REGISTRATION_BALANCE",
    fallback: "0",
    meaning: "what an account that somebody makes begins with, in USD",
    kind: "usd",
    read: amount,
  },
  passwordSignIn: {
    env: "WICKETGATE_PASSWORD_SIGN_IN",
    fallback: "on",
    meaning: "whether holders sign in by password: on, off; operators always may",
    kind: "switch",
    choices: ON_OFF,
    read: onOff,
  },
  passkeys: {
    env: "WICKETGATE_PASSKEYS",
    fallback: "on",
    meaning: "whether people sign in by passkey: on, off",
    kind: "switch",
    choices: ON_OFF,
    read: onOff,
  },
  oidcIssuer: {
    env: "WICKETGATE_OIDC_ISSUER",
    fallback: null,
    meaning: "OpenID Connect issuer that people may sign in to the console by",
    kind: "url",
    read: issuer,
  },
  oidcClientId: {
    env: "WICKETGATE_OIDC_CLIENT_ID",
    fallback: null,
    meaning: "what the issuer knows this installation by; needed with an issuer",
    kind: "text",
    read: line(LINE_CHARACTERS_MAX),
  },
  oidcClientSecret: {
    env: "WICKETGATE_OIDC_CLIENT_SECRET",
    fallback: null,
    meaning: "secret of that client, unless it is a public one",
    kind: "secret",
    secret: true,
    read: line(SECRET_CHARACTERS_MAX),
  },
  oidcName: {
    env: "WICKETGATE_OIDC_NAME",
    fallback: "single sign-on",
    meaning: "what the sign-in button calls the issuer",
    kind: "text",
    read: shown(OIDC_NAME_CHARACTERS_MAX),
  },
  smtpHost: {
    env: "WICKETGATE_SMTP_HOST",
    fallback: null,
    meaning: "mail server by which the house sends e-mail",
    kind: "text",
    read: host,
  },
  smtpPort: {
    env: "WICKETGATE_SMTP_PORT",
    fallback: null,
    meaning: "its port; without it 465 for tls, 587 for starttls, 25 for none",
    kind: "whole",
    read: wholeOrNone({ min: 1, max: 65_535 }),
  },
  smtpSecurity: {
    env: "WICKETGATE_SMTP_SECURITY",
    fallback: "starttls",
    meaning: "how it is spoken to: tls (from the first byte), starttls, none",
    kind: "choice",
    choices: SECURITY,
    read: oneOf(...SECURITY),
  },
  smtpUser: {
    env: "WICKETGATE_SMTP_USER",
    fallback: null,
    meaning: "who signs in there, where it asks",
    kind: "text",
    read: line(LINE_CHARACTERS_MAX),
  },
  smtpPassword: {
    env: "WICKETGATE_SMTP_PASSWORD",
    fallback: null,
    meaning: "password of that user",
    kind: "secret",
    secret: true,
    read: line(SECRET_CHARACTERS_MAX),
  },
  smtpFrom: {
    env: "WICKETGATE_SMTP_FROM",
    fallback: null,
    meaning: "e-mail address that mails come from; needed with a mail server",
    kind: "text",
    read: emailAddress,
  },
  usageDays: {
    env: "WICKETGATE_USAGE_DAYS",
    fallback: "0",
    meaning: "days that rows of the usage log are kept; 0 keeps them for ever, and sums stay in any case",
    kind: "whole",
    read: whole({ min: 0, max: DAYS_MAX }),
  },
  sealedCopies: {
    env: "WICKETGATE_SEALED_COPIES",
    fallback: "on",
    meaning: "keep a sealed copy of each key for one-click import: on, off",
    kind: "switch",
    choices: ON_OFF,
    read: onOff,
  },
  language: {
    env: "WICKETGATE_LANGUAGE",
    fallback: "auto",
    meaning: "language for whoever has not chosen: auto (as the browser says), en, zh",
    kind: "choice",
    choices: LANGUAGES,
    read: oneOf(...LANGUAGES),
  },
  name: {
    env: "WICKETGATE_NAME",
    fallback: "Wicketgate",
    meaning: "what the house is called on its pages, in authenticator apps and in mails",
    kind: "text",
    read: shown(NAME_CHARACTERS_MAX),
  },
  logo: {
    env: "WICKETGATE_LOGO",
    fallback: null,
    meaning: "its picture: PNG, JPEG or WebP as a data URL, at most 64 KB and 1024 pixels a side",
    kind: "image",
    read: value => {
      const read = value === null ? { logo: null } : readLogo(value);
      return "problem" in read ? read : { value: read.logo };
    },
  },
  accent: {
    env: "WICKETGATE_ACCENT",
    fallback: null,
    meaning: "its colour, as #rrggbb, dark enough for white text",
    kind: "colour",
    read: value => {
      if (value === null) return { value: null };
      const colour = readColour(value);
      if (colour === null) return { problem: "must be a colour such as #17694f" };
      const problem = accentProblem(colour);
      return problem === null ? { value: accentTones(colour) } : { problem };
    },
  },
};

export const SETTING_KEYS = Object.keys(settings) as SettingKey[];

/** As API, command line and database name it: `publicUrl` is `public_url`. */
export function settingName(key: SettingKey): string {
  return key.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

const KEYS = new Map(SETTING_KEYS.map(key => [settingName(key), key]));

export function settingKey(name: string): SettingKey | null {
  return KEYS.get(name) ?? null;
}
