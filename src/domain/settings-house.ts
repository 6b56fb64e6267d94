import {
  type HouseSettings,
  SETTING_KEYS,
  type SettingKey,
  type SmtpSecurity,
  settings,
} from "./settings.ts";
import { isThisMachine } from "./settings-values.ts";

/** What is written for each setting; what is not there is not set. */
export type SettingTexts = Readonly<Partial<Record<SettingKey, string>>>;

/** The environment fixes what it names; what is stored was set in the console or by the command line. */
export type SettingSources = { fixed: SettingTexts; stored: SettingTexts };

export function settingText(key: SettingKey, { fixed, stored }: SettingSources): string | null {
  return fixed[key] ?? stored[key] ?? settings[key].fallback;
}

/** What cannot be read any more, such as what a later version has written, counts as not set. */
export function houseSettings(sources: SettingSources): {
  settings: HouseSettings;
  unreadable: readonly SettingKey[];
} {
  const unreadable: SettingKey[] = [];
  const entries = SETTING_KEYS.map(key => {
    const { read, fallback } = settings[key];
    const found = read(settingText(key, sources));
    if ("value" in found) return [key, found.value];
    unreadable.push(key);
    const begun = read(fallback);
    return [key, "value" in begun ? begun.value : null];
  });
  return { settings: Object.fromEntries(entries) as HouseSettings, unreadable };
}

export type MailServer = {
  host: string;
  port: number;
  security: SmtpSecurity;
  user: string | null;
  password: string | null;
  from: string;
};

const USUAL_PORT: Record<SmtpSecurity, number> = { tls: 465, starttls: 587, none: 25 };

/** Null where no mail can be sent. */
export function mailServer(house: HouseSettings): MailServer | null {
  const { smtpHost, smtpPort, smtpSecurity: security, smtpUser: user, smtpPassword: password } = house;
  const { smtpFrom: from } = house;
  if (smtpHost === null || from === null) return null;
  return { host: smtpHost, port: smtpPort ?? USUAL_PORT[security], security, user, password, from };
}

export function hasOidc({ oidcIssuer, oidcClientId }: HouseSettings): boolean {
  return oidcIssuer !== null && oidcClientId !== null;
}

/** What does not hold together: which setting has to be changed, which ones ask for it, and why. */
export type Conflict = { at: SettingKey; because: readonly SettingKey[]; problem: (named: Named) => string };
type Named = (key: SettingKey) => string;

export function conflicts(house: HouseSettings): Conflict[] {
  const found: Conflict[] = [];
  const needs = (key: SettingKey, at: SettingKey) => {
    if (house[key] === null || house[at] !== null) return;
    found.push({ at, because: [key], problem: named => `must be set where ${named(key)} is` });
  };
  needs("oidcIssuer", "oidcClientId");
  needs("smtpHost", "smtpFrom");
  needs("smtpUser", "smtpPassword");
  needs("smtpPassword", "smtpUser");
  if (
    house.smtpUser !== null &&
    house.smtpSecurity === "none" &&
    !isThisMachine(house.smtpHost ?? "localhost")
  ) {
    found.push({
      at: "smtpSecurity",
      because: ["smtpUser", "smtpSecurity"],
      problem: named =>
        `must be tls or starttls where ${named("smtpUser")} is set: the password would be readable`,
    });
  }
  return [...found, ...signInConflicts(house)];
}

function signInConflicts(house: HouseSettings): Conflict[] {
  if (house.passwordSignIn || hasOidc(house)) return [];
  const found: Conflict[] = [];
  if (!house.passkeys) {
    found.push({
      at: "passwordSignIn",
      because: ["passwordSignIn", "passkeys"],
      problem: named =>
        `must be on while ${named("passkeys")} is off and there is no ${named("oidcIssuer")}: holders could not sign in`,
    });
  }
  if (house.registration === "open") {
    found.push({
      at: "registration",
      because: ["registration", "passwordSignIn"],
      problem: named =>
        `must be off while ${named("passwordSignIn")} is off and there is no ${named("oidcIssuer")}: nobody could make an account`,
    });
  }
  return found;
}
