import { describe, expect, test } from "bun:test";
import type { Mail } from "./mail.ts";
import { writeMail } from "./write-mail.ts";

const UNTIL_MS = Date.UTC(2027, 0, 2, 3, 4);
const MAILS: readonly Mail[] = [
  {
    kind: "invitation",
    link: "https://house.test/console/invitation#t&1",
    by: "ann@example.org",
    untilMs: UNTIL_MS,
  },
  { kind: "reset", link: "https://house.test/console/reset#t", by: "ann@example.org", untilMs: UNTIL_MS },
  { kind: "reset", link: "https://house.test/console/reset#t", by: null, untilMs: UNTIL_MS },
  { kind: "low_balance", balanceUsd: "0.25", thresholdUsd: "1", link: "https://house.test/console/account" },
  { kind: "low_balance", balanceUsd: "0", thresholdUsd: null, link: null },
  {
    ...{ kind: "operator_changed", action: "disable", by: "ann@example.org", atMs: UNTIL_MS },
    changes: [{ field: "enabled", before: "true", after: "" }],
  },
  { kind: "test", by: "ann@example.org" },
];
const EVIL = '<script>alert("1")</script>\r\nBcc: x@example.org';

describe.each(["en", "zh"] as const)("in %s", language => {
  test.each(MAILS)(
    "a mail of the kind $kind says the same as text and as markup, with the name of the house",
    mail => {
      const { subject, text, html } = writeMail(mail, { language, house: "Our House" });
      expect(subject).toContain("Our House");
      const shown = html
        .replace(/<title>.*<\/title>/, "")
        .replace(/<[^>]+>/g, "")
        .replaceAll("&amp;", "&");
      for (const line of text.split("\n").filter(part => part.trim() !== "" && part !== "-- "))
        expect(shown).toContain(line.replace(/:$/, ""));
      if ("link" in mail && mail.link !== null) {
        expect(text).toContain(`\n${mail.link}\n`);
        expect(html).toContain(`href="${mail.link.replaceAll("&", "&amp;")}"`);
      }
      expect(/[\u4e00-\u9fff]/.test(text)).toBe(language === "zh");
      expect(html).toContain(`lang="${language === "zh" ? "zh-CN" : "en"}"`);
    },
  );

  test.each(MAILS)("a mail of the kind $kind keeps hostile names as text, and on their line", mail => {
    const hostile = JSON.parse(JSON.stringify(mail).replaceAll("ann@example.org", "EVIL"), (_, value) =>
      value === "EVIL" || value === "disable" || value === "enabled" ? EVIL : value,
    ) as Mail;
    const { subject, text, html } = writeMail(hostile, { language, house: EVIL });
    expect(subject).not.toMatch(/[\r\n]/);
    expect(text.split("\n").filter(line => line.startsWith("Bcc:"))).toEqual([]);
    expect(html).not.toContain("<script");
    expect(html).toContain("&lt;script&gt;");
  });
});
