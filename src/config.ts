import { isIP } from "node:net";
import type { LogLevel } from "./domain/log.ts";
import { SETTING_KEYS, type SettingKey, settings } from "./domain/settings.ts";
import { conflicts, houseSettings, type SettingTexts } from "./domain/settings-house.ts";
import { oneOf, optional, type Read, type Reader, text, whole } from "./domain/settings-values.ts";

/** The option table: every setting, its default and its meaning. Nothing else reads the environment. */

export type Config = {
  host: string;
  port: number;
  dataDir: string;
  databaseUrl: string | null;
  secret: string | null;
  secretFile: string | null;
  demo: "auto" | "on" | "off";
  trustedProxies: readonly string[];
  metricsFrom: readonly string[];
  logLevel: LogLevel;
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
  /** What of domain/settings.ts the environment fixes; the rest is set while it runs, so no value of it stands here. */
  fixed: SettingTexts;
};

export type Environment = Readonly<Record<string, string | undefined>>;

type Option<T> = {
  env: string;
  /** The same name as other programs write it too. */
  alias?: string;
  fallback: string | null;
  meaning: string;
  secret?: true;
  read: Reader<T>;
};
type Own = Omit<Config, "fixed">;
type Options = { readonly [K in keyof Own]: Option<Own[K]> };

const seconds = (max: number) => whole({ min: 1, max, scale: 1000 });
const mebibytes = (max: number) => whole({ min: 1, max, scale: 1024 * 1024 });

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

function database(value: string | null): Read<string | null> {
  if (value === null) return { value: null };
  const isPostgres = /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
  return isPostgres
    ? { value }
    : { problem: "must be an address such as postgres://user:password@host:5432/database, or unset" };
}

const own: Options = {
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
};

/** Whatever the environment is asked for. */
export const options = { ...own, ...settings };

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
  const values: Partial<Record<keyof Own, unknown>> = {};
  for (const name of Object.keys(own) as (keyof Own)[]) {
    const option = own[name];
    const read = option.read(givenFor(option, environment) ?? option.fallback);
    if ("problem" in read) problems.push(`${option.env} ${read.problem}.`);
    else values[name] = read.value;
  }
  const { fixed, wrong } = readFixed(environment);
  problems.push(...wrong);
  return problems.length > 0 ? { problems } : { config: { ...(values as Own), fixed } };
}

/** What the environment says has to hold together by itself, whatever is set in the console. */
function readFixed(environment: Environment): { fixed: SettingTexts; wrong: string[] } {
  const fixed: Partial<Record<SettingKey, string>> = {};
  const wrong: string[] = [];
  for (const key of SETTING_KEYS) {
    const given = givenFor(settings[key], environment);
    const read = given === null ? null : settings[key].read(given);
    if (given === null || read === null) continue;
    if ("problem" in read) wrong.push(`${settings[key].env} ${read.problem}.`);
    else fixed[key] = given;
  }
  const named = (key: SettingKey) => settings[key].env;
  for (const { at, because, problem } of conflicts(houseSettings({ fixed, stored: {} }).settings)) {
    if (because.every(key => key in fixed)) wrong.push(`${named(at)} ${problem(named)}.`);
  }
  return { fixed, wrong };
}
