import { expect, test } from "bun:test";
import { sentenceIn } from "./sentences.ts";

const ENGLISH = [
  "Must be one of on, off.",
  "Must be a whole number from 1 to 65535.",
  "Must be the root address, without /v1.",
  "Must be set where “smtp_host” is.",
  "Is fixed by the environment: change WICKETGATE_NAME there, or remove it, and start again.",
  "Must be darker: white text on it has a contrast of 1.6 to 1, and it on the page has 1.4 to 1, where 4.5 to 1 can be read.",
  "mail.example.org:587 refused the user or the password (it answered “535 no”). Check both; some providers want a password for programs, made in their settings.",
  "Cannot connect to 127.0.0.1:2525: nothing listens there. Check host and port.",
];

test.each(ENGLISH)("“%s” is said in Chinese", english => {
  const chinese = sentenceIn(english, "zh");
  expect(chinese).toMatch(/[\u4e00-\u9fff]/);
  expect(chinese).not.toMatch(/must|check both|listens/i);
});

test("particulars stay, and a setting is called as the page calls it", () => {
  expect(sentenceIn("Must be a whole number from 1 to 65535.", "zh")).toContain("65535");
  expect(sentenceIn("Must be set where “smtp_host” is.", "zh")).toContain("“主机”");
  expect(sentenceIn("Must be set where smtp_host is.", "en")).toBe("Must be set where “Host” is.");
  const whole =
    "“registration” must be off while password_sign_in is off and there is no oidc_issuer: nobody.";
  expect(sentenceIn(whole, "zh")).toStartWith("“谁可以创建账户”：");
  expect(sentenceIn(whole, "en")).toContain("“Sign in by password” is off");
  expect(sentenceIn("Something nobody has foreseen.", "zh")).toBe("Something nobody has foreseen.");
});
