import { describe, expect, test } from "bun:test";
import { type Config, type Environment, options, readConfig } from "./config.ts";
import { houseSettings } from "./domain/settings-house.ts";

function config(environment: Environment): Config {
  const result = readConfig(environment);
  if ("problems" in result) throw new Error(result.problems.join(" "));
  return result.config;
}

/** With nothing set in the console. */
function house(environment: Environment) {
  return houseSettings({ fixed: config(environment).fixed, stored: {} }).settings;
}

function problems(environment: Environment): readonly string[] {
  const result = readConfig(environment);
  return "problems" in result ? result.problems : [];
}

describe("with nothing set", () => {
  const DEFAULTS: Config = {
    host: "127.0.0.1",
    port: 8787,
    dataDir: "./data",
    databaseUrl: null,
    secret: null,
    secretFile: null,
    demo: "auto",
    trustedProxies: [],
    metricsFrom: ["127.0.0.0/8", "::1"],
    logLevel: "info",
    connectMsMax: 5_000,
    firstByteStreamMsMax: 120_000,
    firstByteMsMax: 600_000,
    idleMsMax: 120_000,
    streamMsMax: 3_600_000,
    drainMsMax: 600_000,
    credentialRestMsMax: 300_000,
    bodyBytesMax: 33_554_432,
    answerBytesMax: 67_108_864,
    headerBytesMax: 65_536,
    lineBytesMax: 16_777_216,
    requestsInFlightMax: 10_000,
    privateUpstreams: [],
    httpsProxy: null,
    noProxy: [],
    fixed: {},
  };

  test("the defaults hold", () => expect(config({})).toEqual(DEFAULTS));

  test("the house begins as it always has", () => {
    expect(house({})).toEqual({
      publicUrl: null,
      registration: "off",
      registrationBalance: 0n,
      passwordSignIn: true,
      passkeys: true,
      oidcIssuer: null,
      oidcClientId: null,
      oidcClientSecret: null,
      oidcName: "single sign-on",
      smtpHost: null,
      smtpPort: null,
      smtpSecurity: "starttls",
      smtpUser: null,
      smtpPassword: null,
      smtpFrom: null,
      usageDays: 0,
      sealedCopies: true,
      language: "auto",
      name: "Wicketgate",
      logo: null,
      accent: null,
    });
  });

  test("an empty value is one that is not set", () => {
    const empty = Object.fromEntries(Object.values(options).map(({ env }) => [env, ""]));
    expect(config(empty)).toEqual(DEFAULTS);
  });
});

describe("every setting", () => {
  test("has its own name and says what it means", () => {
    const all = Object.values(options);
    expect(new Set(all.map(({ env }) => env)).size).toBe(all.length);
    for (const { env, meaning } of all) {
      expect(env).toMatch(/^(HOST|PORT|DATABASE_URL|HTTPS_PROXY|NO_PROXY|WICKETGATE_[A-Z_]+)$/);
      expect(meaning).not.toBe("");
    }
  });

  test("that holds a secret says so", () => {
    const secret = Object.values(options).filter(option => option.secret === true);
    expect(secret.map(({ env }) => env).sort()).toEqual([
      "DATABASE_URL",
      "HTTPS_PROXY",
      "WICKETGATE_OIDC_CLIENT_SECRET",
      "WICKETGATE_SECRET",
      "WICKETGATE_SMTP_PASSWORD",
    ]);
  });

  test("is read", () => {
    const given = config({
      HOST: "::",
      PORT: "0",
      WICKETGATE_DATA_DIR: "/var/lib/gate",
      WICKETGATE_PUBLIC_URL: "https://gate.example.org/llm/",
      WICKETGATE_SECRET: "s".repeat(32),
      WICKETGATE_SECRET_FILE: "/run/secret",
      WICKETGATE_DEMO: "off",
      WICKETGATE_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7 ,fd00::/8,::1,",
      WICKETGATE_LOG_LEVEL: "debug",
      WICKETGATE_SEALED_COPIES: "off",
      WICKETGATE_REQUESTS_IN_FLIGHT: "7",
      WICKETGATE_PRIVATE_UPSTREAMS: "ollama, .svc.cluster.local,10.1.0.0/16 fd00::7,host_1.lan.",
      HTTPS_PROXY: "http://me:p%40ss@proxy.example.org:3128",
      NO_PROXY: "localhost,.example.org 10.0.0.0/8",
    });
    expect(given).toMatchObject({
      host: "::",
      port: 0,
      dataDir: "/var/lib/gate",
      secret: "s".repeat(32),
      secretFile: "/run/secret",
      demo: "off",
      trustedProxies: ["10.0.0.0/8", "192.0.2.7", "fd00::/8", "::1"],
      logLevel: "debug",
      requestsInFlightMax: 7,
      privateUpstreams: ["ollama", ".svc.cluster.local", "10.1.0.0/16", "fd00::7", "host_1.lan."],
      httpsProxy: "http://me:p%40ss@proxy.example.org:3128/",
      noProxy: ["localhost", ".example.org", "10.0.0.0/8"],
      fixed: { publicUrl: "https://gate.example.org/llm/", sealedCopies: "off" },
    });
  });

  test("that other programs know in small letters is read in them too, in capitals first", () => {
    const small = { https_proxy: "proxy:3128", no_proxy: "a.test" };
    expect(config(small)).toMatchObject({ httpsProxy: "http://proxy:3128/", noProxy: ["a.test"] });
    expect(config({ ...small, HTTPS_PROXY: "", NO_PROXY: "" }).noProxy).toEqual(["a.test"]);
    expect(config({ ...small, HTTPS_PROXY: "http://other:1" }).httpsProxy).toBe("http://other:1/");
    expect(config({ http_proxy: "http://other:1", HTTP_PROXY: "http://other:1" }).httpsProxy).toBe(null);
  });
});

test("a sign-in service needs an address that can be believed, and a client", () => {
  const service = {
    WICKETGATE_OIDC_ISSUER: "https://id.example.org/realms/a",
    WICKETGATE_OIDC_CLIENT_ID: "gate",
  };
  expect(house(service)).toMatchObject({
    oidcIssuer: "https://id.example.org/realms/a",
    oidcClientId: "gate",
    oidcClientSecret: null,
  });
  expect(house({ ...service, WICKETGATE_OIDC_ISSUER: "http://localhost:9000" }).oidcClientId).toBe("gate");
  expect(readConfig({ ...service, WICKETGATE_OIDC_CLIENT_ID: "" })).toEqual({
    problems: ["WICKETGATE_OIDC_CLIENT_ID must be set where WICKETGATE_OIDC_ISSUER is."],
  });
  for (const bad of [
    "id.example.org",
    "http://id.example.org",
    "https://id.example.org/?a",
    "http://127.evil.org",
  ]) {
    expect(readConfig({ ...service, WICKETGATE_OIDC_ISSUER: bad })).toEqual({
      problems: [expect.stringContaining("WICKETGATE_OIDC_ISSUER must be the https address")],
    });
  }
});

test("what the environment says of e-mail and sign-in holds together by itself", () => {
  const mail = { WICKETGATE_SMTP_HOST: "smtp.example.org", WICKETGATE_SMTP_FROM: "gate@example.org" };
  const user = { WICKETGATE_SMTP_USER: "gate", WICKETGATE_SMTP_PASSWORD: "hunter2" };
  expect(problems({ ...mail, ...user })).toEqual([]);
  expect(problems({ ...mail, WICKETGATE_SMTP_FROM: "" })).toEqual([
    "WICKETGATE_SMTP_FROM must be set where WICKETGATE_SMTP_HOST is.",
  ]);
  expect(problems({ ...mail, WICKETGATE_SMTP_USER: "gate" })).toEqual([
    "WICKETGATE_SMTP_PASSWORD must be set where WICKETGATE_SMTP_USER is.",
  ]);
  const [clear] = problems({ ...mail, ...user, WICKETGATE_SMTP_SECURITY: "none" });
  expect(clear).toContain("WICKETGATE_SMTP_SECURITY must be tls or starttls");
  expect(clear).not.toContain("hunter2");
  const here = { ...mail, ...user, WICKETGATE_SMTP_SECURITY: "none", WICKETGATE_SMTP_HOST: "127.0.0.1" };
  expect(problems(here)).toEqual([]);
  const [locked] = problems({ WICKETGATE_PASSWORD_SIGN_IN: "off", WICKETGATE_PASSKEYS: "off" });
  expect(locked).toContain("WICKETGATE_PASSWORD_SIGN_IN must be on while WICKETGATE_PASSKEYS is off");
  expect(problems({ WICKETGATE_PASSWORD_SIGN_IN: "off" })).toEqual([]);
});

test("a number is given in the unit of its name and kept in the code's", () => {
  const UNITS: readonly [RegExp, number, RegExp][] = [
    [/_SECONDS$/, 1_000, /MsMax$/],
    [/_MIB$/, 1_048_576, /BytesMax$/],
    [/_KIB$/, 1_024, /BytesMax$/],
  ];
  let seen = 0;
  for (const [name, { env }] of Object.entries(options)) {
    const unit = UNITS.find(([ending]) => ending.test(env));
    if (unit === undefined) continue;
    seen += 1;
    expect(name).toMatch(unit[2]);
    expect(config({ [env]: "7" })[name as keyof Config]).toBe(7 * unit[1]);
  }
  expect(seen).toBe(11);
});

describe("a bad value", () => {
  const BAD: Record<string, readonly string[]> = {
    PORT: ["65536", "-1", "80.5", "http", "0x50", "1e3", " 80", "９", "99999999999999999999"],
    DATABASE_URL: ["mysql://localhost/gate", "localhost/gate"],
    WICKETGATE_PUBLIC_URL: [
      "gate.example.org",
      "ftp://gate.example.org",
      "https://",
      "https://gate.example.org/v1",
      "https://gate.example.org/v1//",
      "https://gate.example.org?a=1",
      "https://gate.example.org/?",
      "https://gate.example.org#a",
      "https://me@gate.example.org",
      "https://:word@gate.example.org",
      "javascript:alert(1)",
    ],
    WICKETGATE_SECRET: ["short", "s".repeat(31)],
    WICKETGATE_DEMO: ["yes", "ON", "true"],
    WICKETGATE_TRUSTED_PROXIES: [
      "example.org",
      "10.0.0.0/8,nonsense",
      "999.1.1.1",
      "10.0.0",
      "10.0.0.0/33",
      "fd00::/129",
      "fd00:::1",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "10.0.0.0/8/8",
      "*",
    ],
    WICKETGATE_LOG_LEVEL: ["verbose", "INFO"],
    WICKETGATE_REGISTRATION: ["yes", "OPEN"],
    WICKETGATE_REGISTRATION_BALANCE: ["-1", "much", "1e3"],
    WICKETGATE_PASSWORD_SIGN_IN: ["true"],
    WICKETGATE_PASSKEYS: ["true"],
    WICKETGATE_SMTP_HOST: ["smtp.example.org:587", "smtp://example.org", "a b", "10.0.0"],
    WICKETGATE_SMTP_PORT: ["0", "65536", "smtp"],
    WICKETGATE_SMTP_SECURITY: ["ssl"],
    WICKETGATE_SMTP_FROM: ["gate", "Gate <gate@example.org>", "gate@example.org\r\nBcc: a@b.org"],
    WICKETGATE_USAGE_DAYS: ["-1", "36501", "for ever"],
    WICKETGATE_LANGUAGE: ["fr"],
    WICKETGATE_NAME: [" ", "n".repeat(41), "a\nb", "a\u202eb"],
    WICKETGATE_ACCENT: ["green", "#12345", "#ffffff", "#7fc1d1"],
    WICKETGATE_LOGO: ["logo.png", "data:image/svg+xml;base64,PHN2Zz4="],
    WICKETGATE_SEALED_COPIES: ["yes", "1"],
    WICKETGATE_CONNECT_SECONDS: ["0", "61", "5s"],
    WICKETGATE_FIRST_BYTE_STREAM_SECONDS: ["0", "3601"],
    WICKETGATE_FIRST_BYTE_SECONDS: ["0", "3601"],
    WICKETGATE_IDLE_SECONDS: ["0", "3601", "Infinity"],
    WICKETGATE_STREAM_SECONDS: ["0", "86401"],
    WICKETGATE_DRAIN_SECONDS: ["0", "86401"],
    WICKETGATE_BODY_MIB: ["0", "1025", "32MiB"],
    WICKETGATE_ANSWER_MIB: ["0", "1025"],
    WICKETGATE_HEADER_KIB: ["3", "1025"],
    WICKETGATE_LINE_MIB: ["0", "129"],
    WICKETGATE_REQUESTS_IN_FLIGHT: ["0", "1000001", "-5"],
    WICKETGATE_PRIVATE_UPSTREAMS: [
      "10.0.0.0/33",
      "999.1.1.1",
      "10.0.0",
      "http://ollama:11434",
      "ollama:11434",
      "*",
      "a..b",
    ],
    HTTPS_PROXY: [
      "https://proxy:3128",
      "socks5://proxy",
      "http://",
      "http://proxy/path",
      "http://proxy/?a",
      "http://me:100%@proxy",
      "a b",
    ],
  };

  for (const [env, values] of Object.entries(BAD)) {
    test.each(values)(`${env}=%s is named, in one sentence`, value => {
      const found = problems({ [env]: value });
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(new RegExp(`^${env} .+[^.]\\.$`));
    });
  }

  test("is named together with every other", () => {
    const all = Object.fromEntries(Object.entries(BAD).map(([env, values]) => [env, values[0]]));
    const found = problems({ HOST: "::", ...all });
    expect(found.map(problem => problem.split(" ")[0]).sort()).toEqual(Object.keys(BAD).sort());
  });

  test("that is a secret is not repeated", () => {
    const given = {
      WICKETGATE_SECRET: "hunter2",
      DATABASE_URL: "mysql://me:hunter2@localhost/gate",
      HTTPS_PROXY: "socks5://me:hunter2@proxy",
    };
    expect(problems(given)).toHaveLength(3);
    expect(problems(given).join(" ")).not.toContain("hunter2");
  });
});

test("a public address loses its last slashes and what was pasted around it", () => {
  for (const given of [
    "https://gate.example.org",
    "https://gate.example.org//",
    " https://gate.example.org/ ",
  ]) {
    expect(house({ WICKETGATE_PUBLIC_URL: given }).publicUrl).toBe("https://gate.example.org");
  }
  expect(house({ WICKETGATE_PUBLIC_URL: "http://[::1]:8787/" }).publicUrl).toBe("http://[::1]:8787");
});
