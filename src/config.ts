import { isIP } from "node:net";
import type { LogLevel } from "./domain/log.ts";
import { type Nanos, parseUsd } from "./domain/money.ts";

/** The option table: every setting, its default and its meaning. Nothing else reads the environment. */

export type Config = {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: string | null;
  publicUrl: string | null;
  secret: string | null;
  secretFile: string | null;
  demo: "auto" | "on" | "off";
  trustedProxies: readonly string[];
  metricsFrom: readonly string[];
  logLevel: LogLevel;
  sealedCopies: boolean;
  connectMsMax: number;
  firstByteStreamMsMax: number;
  firstByteMsMax: number;
  idleMsMax: number;
  streamMsMax: number;
  drainMsMax: number;
  credentialRestMsMax: number;
  bodyBytesMax: number;
  answerBytesMax: number;
  headerBytesMax: number;
  lineBytesMax: number;
  requestsInFlightMax: number;
  privateUpstreams: readonly string[];
  httpsProxy: string | null;
  noProxy: readonly string[];
  registration: "off" | "open";
  registrationBalance: Nanos;
  oidcIssuer: string | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  oidcName: string;
};

export type Environment = Readonly<Record<string, string | undefined>>;

type Read<T> = { value: T } | { problem: string };
type Option<T> = {
  env: string;
  /** The same name as other programs write it too. */
  alias?: string;
  fallback: string | null;
  meaning: string;
  secret?: true;
  read: (text: string | null) => Read<T>;
};
type Options = { [K in keyof Config]: Option<Config[K]> };

const text = (value: string | null): Read<string> => ({ value: value ?? "" });
const optional = (value: string | null): Read<string | null> => ({ value });

function oneOf<T extends string>(...choices: T[]) {
  return (value: string | null): Read<T> => {
    const found = choices.find(choice => choice === value);
    return found === undefined ? { problem: `must be one of ${choices.join(", ")}` } : { value: found };
  };
}

/** A whole number in the unit that people write, kept in the unit that the code means. */
function whole({ min, max, scale = 1 }: { min: number; max: number; scale?: number }) {
  return (value: string | null): Read<number> => {
    const number = value !== null && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return { value: number * scale };
    return { problem: `must be a whole number from ${min} to ${max}` };
  };
}

const seconds = (max: number) => whole({ min: 1, max, scale: 1000 });
const mebibytes = (max: number) => whole({ min: 1, max, scale: 1024 * 1024 });

function rootUrl(value: string | null): Read<string | null> {
  if (value === null) return { value: null };
  const url = URL.canParse(value) ? new URL(value) : null;
  const isHttp = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  if (!isHttp || /[?#@]/.test(value)) {
    return { problem: "must be a whole http or https address such as https://gate.example.org" };
  }
  const root = (url.origin + url.pathname).replace(/\/+$/, "");
  return root.endsWith("/v1") ? { problem: "must be the root address, without /v1" } : { value: root };
}

function cidrs(value: string | null): Read<readonly string[]> {
  const list = (value ?? "").split(",").map(item => item.trim());
  const given = list.filter(item => item !== "");
  const bad = given.find(item => !isCidr(item));
  return bad === undefined
    ? { value: given }
    : { problem: `has “${bad}”, which is not an address or a CIDR` };
}

function isCidr(item: string): boolean {
  const [, address = "", bits = "0"] = /^([0-9.]+|[0-9a-fA-F:]+)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits) <= (version === 4 ? 32 : 128);
}

function listed(value: string | null): string[] {
  return (value ?? "").split(/[\s,]+/).filter(item => item !== "");
}

/** A label of digits alone at the end is an address that went wrong. */
const HOST_NAME = /^\.?(?:[a-z0-9_-]+\.)*(?!\d+$)[a-z0-9_-]+\.?$/i;

function hostsAndCidrs(value: string | null): Read<readonly string[]> {
  const given = listed(value);
  const bad = given.find(item => !isCidr(item) && !HOST_NAME.test(item));
  return bad === undefined
    ? { value: given }
    : { problem: `has “${bad}”, which is not a host name, an address or a CIDR` };
}

/** Its problems do not repeat it, because it may hold a password. */
function httpProxy(value: string | null): Read<string | null> {
  if (value === null) return { value: null };
  const whole = value.includes("://") ? value : `http://${value}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  const isRoot = url?.protocol === "http:" && url.pathname === "/" && !/[?#]/.test(whole);
  if (url === null || !isRoot) {
    return { problem: "must be an http address such as http://proxy.example.org:3128, or unset" };
  }
  const isEncoded = /^(?:[^%]|%[0-9a-f]{2})*$/i.test(url.username + url.password);
  return isEncoded
    ? { value: url.href }
    : { problem: "must have a % in its user name or password written as %25" };
}

/** What a sign-in service says has to be believed, so it is reached over TLS, or on this machine. */
function issuer(value: string | null): Read<string | null> {
  if (value === null) return { value: null };
  const url = URL.canParse(value) ? new URL(value) : null;
  const isHere = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isGood = url?.protocol === "https:" || (url?.protocol === "http:" && isHere);
  return isGood && !/[?#@]/.test(value)
    ? { value }
    : { problem: "must be the https address of an OpenID Connect issuer, such as https://id.example.org" };
}

function database(value: string | null): Read<string | null> {
  if (value === null) return { value: null };
  const isPostgres = /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
  return isPostgres
    ? { value }
    : { problem: "must be an address such as postgres://user:password@host:5432/database, or unset" };
}

export const options: Options = {
  host: { env: "HOST", fallback: "127.0.0.1", meaning: "address it listens on", read: text },
  port: {
    env: "PORT",
    fallback: "8787",
    meaning: "port it listens on; 0 takes a free one",
    read: whole({ min: 0, max: 65535 }),
  },
  dataDir: {
    env: "WICKETGATE_DATA_DIR",
    fallback: "./data",
    meaning: "SQLite file, secret file, local journal",
    read: text,
  },
  databaseUrl: {
    env: "DATABASE_URL",
    fallback: null,
    meaning: "PostgreSQL for several instances: postgres://…; without it SQLite in the data dir",
    secret: true,
    read: database,
  },
  publicUrl: {
    env: "WICKETGATE_PUBLIC_URL",
    fallback: null,
    meaning: "root address as clients see it, without /v1",
    read: rootUrl,
  },
  secret: {
    env: "WICKETGATE_SECRET",
    fallback: null,
    meaning: "master secret, at least 32 characters",
    secret: true,
    read: value =>
      value !== null && value.length < 32 ? { problem: "must have at least 32 characters" } : { value },
  },
  secretFile: {
    env: "WICKETGATE_SECRET_FILE",
    fallback: null,
    meaning: "file with the master secret",
    read: optional,
  },
  demo: {
    env: "WICKETGATE_DEMO",
    fallback: "auto",
    meaning: "built-in demo upstream: auto (while no other upstream exists), on, off",
    read: oneOf("auto", "on", "off"),
  },
  trustedProxies: {
    env: "WICKETGATE_TRUSTED_PROXIES",
    fallback: null,
    meaning: "CIDRs whose X-Forwarded-For is believed",
    read: cidrs,
  },
  metricsFrom: {
    env: "WICKETGATE_METRICS_FROM",
    fallback: "127.0.0.0/8,::1",
    meaning: "CIDRs that may read /metrics",
    read: cidrs,
  },
  logLevel: {
    env: "WICKETGATE_LOG_LEVEL",
    fallback: "info",
    meaning: "debug, info, warn or error",
    read: oneOf("debug", "info", "warn", "error"),
  },
  sealedCopies: {
    env: "WICKETGATE_SEALED_COPIES",
    fallback: "on",
    meaning: "keep a sealed copy of each key for one-click import: on, off",
    read: value =>
      value === "on" || value === "off" ? { value: value === "on" } : { problem: "must be one of on, off" },
  },
  connectMsMax: {
    env: "WICKETGATE_CONNECT_SECONDS",
    fallback: "5",
    meaning: "to connect to an upstream",
    read: seconds(60),
  },
  firstByteStreamMsMax: {
    env: "WICKETGATE_FIRST_BYTE_STREAM_SECONDS",
    fallback: "120",
    meaning: "to the first byte of a streaming answer",
    read: seconds(3600),
  },
  firstByteMsMax: {
    env: "WICKETGATE_FIRST_BYTE_SECONDS",
    fallback: "600",
    meaning: "to the first byte of an answer that does not stream",
    read: seconds(3600),
  },
  idleMsMax: {
    env: "WICKETGATE_IDLE_SECONDS",
    fallback: "120",
    meaning: "between two pieces of an answer",
    read: seconds(3600),
  },
  streamMsMax: {
    env: "WICKETGATE_STREAM_SECONDS",
    fallback: "3600",
    meaning: "a whole streaming answer",
    read: seconds(86_400),
  },
  credentialRestMsMax: {
    env: "WICKETGATE_CREDENTIAL_REST_SECONDS",
    fallback: "300",
    meaning: "an upstream's key that was refused is left alone for, before one request tries it again",
    read: seconds(86_400),
  },
  drainMsMax: {
    env: "WICKETGATE_DRAIN_SECONDS",
    fallback: "600",
    meaning: "running requests may finish for, when it is stopped",
    read: seconds(86_400),
  },
  bodyBytesMax: {
    env: "WICKETGATE_BODY_MIB",
    fallback: "32",
    meaning: "largest request body, in MiB",
    read: mebibytes(1024),
  },
  answerBytesMax: {
    env: "WICKETGATE_ANSWER_MIB",
    fallback: "64",
    meaning: "largest answer that does not stream, in MiB",
    read: mebibytes(1024),
  },
  headerBytesMax: {
    env: "WICKETGATE_HEADER_KIB",
    fallback: "64",
    meaning: "largest head of an upstream's answer, in KiB",
    read: whole({ min: 4, max: 1024, scale: 1024 }),
  },
  lineBytesMax: {
    env: "WICKETGATE_LINE_MIB",
    fallback: "16",
    meaning: "longest line of a stream, in MiB",
    read: mebibytes(128),
  },
  requestsInFlightMax: {
    env: "WICKETGATE_REQUESTS_IN_FLIGHT",
    fallback: "10000",
    meaning: "requests and streams running at once",
    read: whole({ min: 1, max: 1_000_000 }),
  },
  privateUpstreams: {
    env: "WICKETGATE_PRIVATE_UPSTREAMS",
    fallback: null,
    meaning: "host names, .domains and CIDRs of upstreams that may be at a private address",
    read: hostsAndCidrs,
  },
  httpsProxy: {
    env: "HTTPS_PROXY",
    alias: "https_proxy",
    fallback: null,
    meaning: "proxy that https upstreams are reached through",
    secret: true,
    read: httpProxy,
  },
  noProxy: {
    env: "NO_PROXY",
    alias: "no_proxy",
    fallback: null,
    meaning: "host names and CIDRs that are reached without the proxy; * for all",
    read: value => ({ value: listed(value) }),
  },
  registration: {
    env: "WICKETGATE_REGISTRATION",
    fallback: "off",
    meaning: "who may make an account in the console: off (by invitation only), open (anybody)",
    read: oneOf("off", "open"),
  },
  registrationBalance: {
    env: "WICKETGATE_REGISTRATION_BALANCE",
    fallback: "0",
    meaning: "what an account that somebody makes begins with, in USD",
    read: value => {
      const nanos = parseUsd(value ?? "");
      return nanos !== null && nanos >= 0n
        ? { value: nanos }
        : { problem: "must be an amount in USD such as 0 or 0.50" };
    },
  },
  oidcIssuer: {
    env: "WICKETGATE_OIDC_ISSUER",
    fallback: null,
    meaning: "OpenID Connect issuer that people may sign in to the console by",
    read: issuer,
  },
  oidcClientId: {
    env: "WICKETGATE_OIDC_CLIENT_ID",
    fallback: null,
    meaning: "what the issuer knows this installation by; needed with an issuer",
    read: optional,
  },
  oidcClientSecret: {
    env: "WICKETGATE_OIDC_CLIENT_SECRET",
    fallback: null,
    meaning: "secret of that client, unless it is a public one",
    secret: true,
    read: optional,
  },
  oidcName: {
    env: "WICKETGATE_OIDC_NAME",
    fallback: "single sign-on",
    meaning: "what the sign-in button calls the issuer",
    read: text,
  },
};

/** What stands in the environment for a setting; an empty value is none. */
export function givenFor(
  { env, alias }: { env: string; alias?: string },
  environment: Environment,
): string | null {
  return environment[env] || (alias === undefined ? null : environment[alias]) || null;
}

export type ConfigResult = { config: Config } | { problems: readonly string[] };

/** Reads all of it, so that every problem is named at once. */
export function readConfig(environment: Environment): ConfigResult {
  const problems: string[] = [];
  const values: Partial<Record<keyof Config, unknown>> = {};
  for (const name of Object.keys(options) as (keyof Config)[]) {
    const option = options[name];
    const read = option.read(givenFor(option, environment) ?? option.fallback);
    if ("problem" in read) problems.push(`${option.env} ${read.problem}.`);
    else values[name] = read.value;
  }
  if ((values.oidcIssuer ?? null) !== null && (values.oidcClientId ?? null) === null) {
    problems.push(`${options.oidcClientId.env} must be set where ${options.oidcIssuer.env} is.`);
  }
  return problems.length > 0 ? { problems } : { config: values as Config };
}
