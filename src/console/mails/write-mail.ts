import type { Language } from "../../store/profiles.ts";
import { oneLine } from "../../upstream/mail.ts";
import type { Mail, MailWords, Wording } from "./mail.ts";
import { wordsEn } from "./words-en.ts";
import { wordsZh } from "./words-zh.ts";

export type WrittenMail = { subject: string; text: string; html: string };

const WORDS = { en: wordsEn, zh: wordsZh } as const;

/** Plain text, and the same as simple markup; whatever names hold, they are text there. */
export function writeMail(
  mail: Mail,
  { language, house }: { language: Language; house: string },
): WrittenMail {
  const words = WORDS[language];
  const name = oneLine(house);
  const wording = wordingOf(mail, words, name);
  const footer = words.sentBy(name);
  return {
    subject: oneLine(wording.subject),
    text: textOf(wording, footer),
    html: htmlOf(wording, { footer, language, house: name }),
  };
}

function wordingOf(mail: Mail, words: MailWords, house: string): Wording {
  switch (mail.kind) {
    case "invitation":
      return words.invitation(mail, house);
    case "reset":
      return words.reset(mail, house);
    case "low_balance":
      return words.low_balance(mail, house);
    case "operator_changed":
      return words.operator_changed(mail, house);
    case "test":
      return words.test(mail, house);
  }
}

function textOf({ paragraphs, action, notes }: Wording, footer: string): string {
  const parts = [
    ...paragraphs.map(oneLine),
    ...(action === null ? [] : [`${action.label}:\n${oneLine(action.url)}`]),
    ...notes.map(oneLine),
    `-- \n${footer}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

type Frame = { footer: string; language: Language; house: string };

const LANGUAGE_TAGS = { en: "en", zh: "zh-CN" } as const;
const PAGE = "margin:0;padding:24px;background:#f5f6f8;color:#1b1f24;font:15px/1.6 system-ui,sans-serif";
const BOX =
  "max-width:520px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #e2e5e9;border-radius:10px";
const BUTTON =
  "display:inline-block;padding:10px 18px;background:#1b1f24;color:#ffffff;border-radius:8px;text-decoration:none";
const SMALL = "margin:0 0 8px;color:#5b636d;font-size:13px";

function htmlOf({ paragraphs, action, notes }: Wording, { footer, language, house }: Frame): string {
  const lines = (texts: readonly string[], style: string) =>
    texts.map(text => `<p style="${style}">${escaped(oneLine(text))}</p>`);
  const url = action === null ? "" : escaped(oneLine(action.url));
  const press =
    action === null
      ? []
      : [
          `<p style="margin:20px 0"><a href="${url}" style="${BUTTON}">${escaped(action.label)}</a></p>`,
          `<p style="${SMALL};word-break:break-all">${url}</p>`,
        ];
  return [
    `<!doctype html><html lang="${LANGUAGE_TAGS[language]}"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width"><title>${escaped(house)}</title></head>`,
    `<body style="${PAGE}"><div style="${BOX}">`,
    `<p style="margin:0 0 16px;font-weight:600">${escaped(house)}</p>`,
    ...lines(paragraphs, "margin:0 0 12px"),
    ...press,
    ...lines(notes, SMALL),
    `<p style="${SMALL};margin-top:20px">${escaped(footer)}</p>`,
    "</div></body></html>",
  ].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, found => ENTITIES[found] ?? found);
}
