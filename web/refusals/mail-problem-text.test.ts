import { expect, test } from "bun:test";
import { mailProblemText } from "./mail-problem-text.ts";

/** As `src/upstream/mail-problem.ts` says them. */
const SENTENCES = [
  "No e-mail can be sent from here yet: set a mail server and a sender in the settings.",
  "Its recipient is not an e-mail address.",
  "Cannot connect to h:25: nothing listens there. Check host and port.",
  "Cannot connect to h:25: it did not answer in time. Check host and port, and whether a firewall lets this machine out to it.",
  "Cannot connect to h:25: the name h cannot be resolved.",
  "Cannot connect to h:25: h at 10.0.0.1 is refused, because that is a private address: if it is meant, put h into WICKETGATE_PRIVATE_UPSTREAMS.",
  "Cannot connect to h:25 (EHOSTUNREACH). Check host and port.",
  "The certificate of h:25 is not trusted: it has expired. Use the name that its certificate is for, or have it renewed; an authority of your own is trusted by NODE_EXTRA_CA_CERTS.",
  "The certificate of h:25 is not trusted: it is for another name. Use the name.",
  "h:25 does not speak TLS from the beginning: set the security to starttls, or use the port for TLS, which is 465 as a rule.",
  "h:25 was connected to but says nothing. Check that a mail server is there. If it wants TLS from the beginning, set the security to tls.",
  "h:25 closed the connection before the mail was sent. Try again.",
  "h:25 refused the user or the password (it answered “535 no”). Check both; some providers want a password for programs, made in their settings.",
  "h:25 cannot check the user and password now (it answered “454 later”). Try again later.",
  "h:25 takes no user and password here. Check the port, or remove the user and the password. (it answered “503 no”)",
  "h:25 does not offer STARTTLS (it answered “502 no”). Set the security to tls if it speaks TLS from the beginning, or to none where the way to it is your own.",
  "h:25 wants a user and a password (it answered “530 no”). Set both, and starttls or tls as security.",
  "h:25 cannot take the mail now (it answered “451 later”). Try again later.",
  "h:25 refused the sender a@b (it answered “550 no”). Set the sender to an address that this user may send from.",
  "h:25 refused the recipient c@d (it answered “550 no”). Check the address.",
  "h:25 refused the mail (it answered “554 no”).",
];

test.each(SENTENCES)("%s has its Chinese sentence, with what is in it", english => {
  const chinese = mailProblemText(english, "zh");
  expect(chinese).toMatch(/[\u4e00-\u9fff]/);
  expect(chinese).not.toBe(english);
  for (const part of ["h:25", "a@b", "c@d", "535 no", "502 no", "554 no"].filter(one =>
    english.includes(one),
  ))
    expect(chinese).toContain(part);
  expect(mailProblemText(english, "en")).toBe(english);
});

test("no two of them are said in the same words", () => {
  const said = SENTENCES.map(english => mailProblemText(english, "zh"));
  expect(new Set(said).size).toBe(SENTENCES.length);
});

test("what is not known is said as it came", () => {
  expect(mailProblemText("Something else.", "zh")).toBe("Something else.");
});
