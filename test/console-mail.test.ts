import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { certificate } from "../src/upstream/http1-tls-test-rig.ts";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import { OPERATOR, PASSWORD, tokenOf } from "./console-rig.ts";
import { eventually, freshDir, removeDir } from "./harness.ts";
import { headOf, htmlOf, type Received, type SmtpServer, startSmtp, textOf } from "./smtp-server.ts";

const SMTP_PASSWORD = "open sesame to the post office";
const LOGIN = { user: "house", password: SMTP_PASSWORD, mechanism: "PLAIN" } as const;

describe.each(DATABASES)("mail on %s", database => {
  let rig: OperatorRig;
  let smtp: SmtpServer;
  const certificates = freshDir();
  beforeAll(async () => {
    const pair = certificate("DNS:localhost,IP:127.0.0.1");
    const ca = join(certificates, "ca.pem");
    await Bun.write(ca, pair.cert);
    smtp = await startSmtp({ security: "starttls", pair, login: LOGIN });
    rig = await startOperator(database, { NODE_EXTRA_CA_CERTS: ca });
  });
  afterAll(async () => {
    smtp.close();
    await rig.dispose();
    removeDir(certificates);
  });

  const setUp = (settings: Record<string, string | null> = {}) =>
    rig.operator.call("PATCH /operator/settings", {
      body: {
        settings: {
          ...{ smtp_host: "127.0.0.1", smtp_port: String(smtp.port), smtp_security: "starttls" },
          ...{ smtp_user: LOGIN.user, smtp_password: SMTP_PASSWORD, smtp_from: "house@example.org" },
          ...settings,
        },
      },
    });
  const arrived = async (count: number): Promise<Received> => {
    await eventually(async () => smtp.mails.length >= count);
    const mail = smtp.mails[count - 1];
    if (mail === undefined) throw new Error("no mail came");
    return mail;
  };
  const linkIn = (mail: Received) => /http\S+#[\w-]+/.exec(textOf(mail))?.[0] ?? "";

  test("while no server is set, links are made all the same, and nobody can ask for one", async () => {
    expect((await rig.browser().call("GET /house")).mail).toBe(false);
    const body = { email: "early@example.org", role: "holder", send_mail: true } as const;
    const { link, mail } = await rig.operator.call("POST /operator/invitations", { body });
    expect(tokenOf(link)).toHaveLength(43);
    expect(mail).toEqual({
      sent: false,
      problem: "No e-mail can be sent from here yet: set a mail server and a sender in the settings.",
    });
    const asked = await rig.browser().refused("POST /sign-in/forgot", { body: { email: OPERATOR } });
    expect(asked).toMatchObject({ status: 403, error: { code: "not_allowed" } });
  });

  test("a test mail comes to the operator who asks, or says what to change", async () => {
    await setUp({ smtp_password: `${SMTP_PASSWORD}!` });
    const wrong = await rig.operator.call("POST /operator/settings/mail-test");
    expect(wrong.problem).toContain(`127.0.0.1:${smtp.port} refused the user or the password`);
    expect(wrong.problem).not.toContain("sesame");
    await setUp();
    const before = smtp.mails.length;
    expect(await rig.operator.call("POST /operator/settings/mail-test")).toEqual({
      to: OPERATOR,
      problem: null,
    });
    const mail = await arrived(before + 1);
    expect(mail).toMatchObject({ to: [OPERATOR], isSecure: true, user: "house", from: "house@example.org" });
    expect(headOf(mail)).toContain("From: Wicketgate <house@example.org>");
    expect(headOf(mail).some(line => /^Message-ID: <[0-9a-f]{32}@example\.org>$/.test(line))).toBe(true);
    expect((await rig.browser().call("GET /house")).mail).toBe(true);
  });

  test("an invitation goes out where it is asked for, in the language of the house and under its name", async () => {
    await setUp({ language: "zh", name: "小门" });
    const before = smtp.mails.length;
    const body = { email: "guest@example.org", role: "holder" } as const;
    const silent = await rig.operator.call("POST /operator/invitations", { body });
    expect(silent.mail).toBeNull();
    const told = await rig.operator.call("POST /operator/invitations", {
      body: { ...body, send_mail: true },
    });
    expect(told.mail).toEqual({ sent: true, problem: null });
    expect(smtp.mails.length).toBe(before + 1);
    const mail = await arrived(before + 1);
    expect(mail.to).toEqual(["guest@example.org"]);
    expect(textOf(mail)).toContain("邀请您加入 小门");
    expect(linkIn(mail)).toBe(told.link);
    expect(htmlOf(mail)).toContain(told.link);
    const guest = rig.browser();
    await guest.enterBy(linkIn(mail));
    expect((await guest.call("GET /session")).account.email).toBe("guest@example.org");
    await setUp({ language: null, name: null });
  });

  test("a reset link goes out in the language that its owner has chosen", async () => {
    const guest = rig.browser();
    await guest.signIn("guest@example.org");
    await guest.call("PATCH /account", { body: { language: "en" } });
    const before = smtp.mails.length;
    const params = { id: await rig.idOf("guest@example.org") };
    const made = await rig.operator.call("POST /operator/accounts/{id}/reset", {
      params,
      body: { send_mail: true },
    });
    expect(made.mail).toEqual({ sent: true, problem: null });
    const mail = await arrived(before + 1);
    expect(linkIn(mail)).toBe(made.link);
    expect(textOf(mail)).toContain(`${OPERATOR} has made a link for you`);
  });

  test("whoever has forgotten a password is sent a link of half an hour, which works once", async () => {
    const before = smtp.mails.length;
    const anybody = rig.browser();
    const asked = await anybody.call("POST /sign-in/forgot", { body: { email: " Guest@Example.org " } });
    expect(asked).toEqual({ done: true });
    const mail = await arrived(before + 1);
    expect(mail.to).toEqual(["guest@example.org"]);
    const token = tokenOf(linkIn(mail));
    const link = await anybody.call("POST /links/look", { body: { token } });
    expect(link).toMatchObject({ kind: "reset", email: "guest@example.org" });
    const leftMs = Date.parse(link.expires_at) - Date.now();
    expect(leftMs).toBeGreaterThan(28 * 60_000);
    expect(leftMs).toBeLessThanOrEqual(30 * 60_000);
    await anybody.enterBy(linkIn(mail), { password: "another quiet wicket" });
    expect(
      (await rig.browser().send("POST /links/use", { body: { token, password: PASSWORD } })).status,
    ).toBe(410);
    const { entries } = await rig.operator.call("GET /operator/audit", { query: { limit: 5 } });
    expect(entries.some(({ by, action }) => by === "sign-in page" && action === "make reset link")).toBe(
      true,
    );
  });

  test("nobody learns whether there is such an account, and it gets nothing where it is disabled", async () => {
    await rig.invited("off@example.org");
    const params = { id: await rig.idOf("off@example.org") };
    await rig.operator.call("PATCH /operator/accounts/{id}", { params, body: { enabled: false } });
    const before = smtp.mails.length;
    const browser = rig.browser();
    const answers = await Promise.all(
      ["nobody@example.org", "off@example.org", "not an address"].map(async email => {
        const answer = await browser.send("POST /sign-in/forgot", { body: { email } });
        return `${answer.status} ${await answer.text()}`;
      }),
    );
    expect(answers).toEqual(Array(3).fill('200 {"done":true}'));
    // What is asked for after them has come: they are through.
    await browser.call("POST /sign-in/forgot", { body: { email: OPERATOR } });
    await arrived(before + 1);
    expect(smtp.mails.slice(before).map(({ to }) => to)).toEqual([[OPERATOR]]);
  });

  test("where holders have no passwords, operators alone are sent a link, and no second mail about it", async () => {
    await rig.invited("keyless@example.org");
    await rig.operator.call("PATCH /operator/settings", { body: { settings: { password_sign_in: "off" } } });
    const before = smtp.mails.length;
    for (const email of ["keyless@example.org", OPERATOR])
      await rig.browser().call("POST /sign-in/forgot", { body: { email } });
    await arrived(before + 1);
    await Bun.sleep(1_500);
    expect(smtp.mails.slice(before).map(({ to }) => to)).toEqual([[OPERATOR]]);
    await rig.operator.call("PATCH /operator/settings", { body: { settings: { password_sign_in: null } } });
  });

  test("a stranger who asks again and again is turned away, and puts no operator's link out of use", async () => {
    const params = { id: await rig.idOf("guest@example.org") };
    const { link } = await rig.operator.call("POST /operator/accounts/{id}/reset", { params });
    const browser = rig.browser();
    const before = smtp.mails.length;
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries++)
      statuses.push(
        (await browser.send("POST /sign-in/forgot", { body: { email: "guest@example.org" } })).status,
      );
    expect(statuses.at(-1)).toBe(429);
    const mail = await arrived(before + 1);
    const token = tokenOf(link);
    expect((await browser.call("POST /links/look", { body: { token } })).kind).toBe("reset");
    // With the use of one of them, the others end.
    await rig.browser().enterBy(link, { password: PASSWORD });
    const other = await browser.refused("POST /links/look", { body: { token: tokenOf(linkIn(mail)) } });
    expect(other.error.code).toBe("link_invalid");
  });

  test("a server that refuses is told of, and the link is in the answer all the same", async () => {
    const closed = await startSmtp({ security: "none", replies: { RCPT: "550 5.1.1 no such user" } });
    await setUp({
      smtp_port: String(closed.port),
      smtp_security: "none",
      smtp_user: null,
      smtp_password: null,
    });
    const body = { email: "lost@example.org", role: "holder", send_mail: true } as const;
    const { link, mail } = await rig.operator.call("POST /operator/invitations", { body });
    expect(tokenOf(link)).toHaveLength(43);
    expect(mail).toEqual({
      sent: false,
      problem: `127.0.0.1:${closed.port} refused the recipient lost@example.org (it answered “550 5.1.1 no such user”). Check the address.`,
    });
    closed.close();
    await setUp();
  });

  test("an operator who is changed by another one hears of it, once", async () => {
    await rig.invited("second@example.org", { role: "operator" });
    const before = smtp.mails.length;
    const params = { id: await rig.idOf("second@example.org") };
    await rig.operator.call("POST /operator/accounts/{id}/sign-out", { params });
    const mail = await arrived(before + 1);
    expect(mail.to).toEqual(["second@example.org"]);
    expect(textOf(mail)).toContain(`By ${OPERATOR}`);
    expect(headOf(mail).some(line => /^Message-ID: <dlv_\w+@example\.org>$/.test(line))).toBe(true);
    await Bun.sleep(1_500);
    expect(smtp.mails.length).toBe(before + 1);
  });

  test("a holder whose balance falls below what they chose hears of it, once", async () => {
    const holder = await rig.invited("low@example.org", { balance_usd: "3" });
    const before = smtp.mails.length;
    await holder.call("PATCH /account", { body: { low_balance_usd: "5", language: "zh" } });
    const mail = await arrived(before + 1);
    expect(mail.to).toEqual(["low@example.org"]);
    expect(textOf(mail)).toMatch(/余额为 3(\.00)? USD，低于您设置的提醒金额 5(\.00)? USD/);
    await Bun.sleep(6_000);
    expect(smtp.mails.length).toBe(before + 1);
  });

  test("neither the password of the mail server nor a link is in the log", async () => {
    const log = rig.gateway.log();
    expect(log).toContain("mail.sent");
    expect(log).toContain("mail.not_sent");
    expect(log).not.toContain("sesame");
    expect(log).not.toContain(Buffer.from(SMTP_PASSWORD).toString("base64"));
    for (const mail of smtp.mails.filter(one => linkIn(one) !== ""))
      expect(log).not.toContain(tokenOf(linkIn(mail)));
  });
});
