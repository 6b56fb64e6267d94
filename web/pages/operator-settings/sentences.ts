import { useCallback } from "react";
import { ApiError } from "../../api/api-error.ts";
import { errorText } from "../../api/error-text.ts";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";
import { inChinese, type SentenceRule } from "../../words/sentence-rules.ts";
import { fieldWords, wordOf } from "./field-words.ts";

/** A setting as this page calls it. */
function called(name: string): string {
  return `“${wordOf(key => fieldWords.zh[key], name) ?? name}”`;
}

/** What the server says of settings, at their fields. */
const FIELDS: readonly SentenceRule[] = [
  [/^Must be one of (.+)\.$/, choices => `必须是以下之一：${choices}。`],
  [/^Must be a whole number from (\d+) to (\d+)/, (least, most) => `必须是 ${least} 到 ${most} 之间的整数。`],
  [/^Must be an amount in USD/, () => "必须是美元金额，例如 0 或 0.50。"],
  [
    /^Must be a whole http or https address/,
    () => "必须是完整的 http 或 https 地址，例如 https://gate.example.org。",
  ],
  [/^Must be the root address, without \/v1/, () => "必须是根地址，不含 /v1。"],
  [
    /^Must be the https address of an OpenID/,
    () => "必须是 OpenID Connect 颁发者的 https 地址，例如 https://id.example.org。",
  ],
  [/^Must have no line breaks/, () => "不能包含换行或控制字符。"],
  [/^Must have no characters that turn/, () => "不能包含改变文字方向的字符。"],
  [/^Must have at least one character/, () => "至少要有一个可见字符。"],
  [/^Must have at most (\d+) characters/, most => `最多 ${most} 个字符。`],
  [/^Must be a host name/, () => "必须是主机名，例如 smtp.example.org，不含端口。"],
  [/^Must be an e-mail address/, () => "必须是邮箱地址，例如 gate@example.org。"],
  [/^Must be a PNG, JPEG or WebP picture/, () => "必须是 PNG、JPEG 或 WebP 图片。"],
  [
    /^Must be at most (\d+) KB; this picture has (\d+) KB/,
    (most, size) => `最多 ${most} KB；此图片有 ${size} KB。`,
  ],
  [
    /^Must have at most (\d+) pixels a side; this picture has (\d+) × (\d+)/,
    (most, width, height) => `边长最多 ${most} 像素；此图片为 ${width} × ${height}。`,
  ],
  [/^Must be a colour/, () => "必须是颜色，例如 #17694f。"],
  [
    /^Must be darker: white text on it has a contrast of ([\d.]+) to 1, and it on the page has ([\d.]+) to 1/,
    (white, page) =>
      `颜色需要更深：其上白色文字的对比度为 ${white}:1，其在页面上为 ${page}:1，至少需要 4.5:1。`,
  ],
  [
    /^Is fixed by the environment: change (\S+)/,
    variable => `由环境变量 ${variable} 固定：请在那里更改或移除，然后重新启动。`,
  ],
  [/^Must be set where “?([a-z_]+)”? is/, name => `设置了${called(name ?? "")}时必须填写。`],
  [/^Must be tls or starttls where/, () => "设置了用户名时必须使用 TLS 或 STARTTLS：否则密码会被他人看到。"],
  [/^Must be on while/, () => "通行密钥已关闭且没有登录服务时必须开启：否则普通账户无法登录。"],
  [/^Must be off while/, () => "密码登录已关闭且没有登录服务时必须关闭：否则没有人能创建账户。"],
  [/^Is not a setting/, () => "没有这项设置。"],
];

/** What went wrong with a test, or with the whole. */
const WHOLE: readonly SentenceRule[] = [
  [/^There is no sign-in service yet/, () => "还没有登录服务：请先设置颁发者和客户端 ID。"],
  [/^Copies are removed only where/, () => "只有在不再保存副本时才能删除副本。"],
  [
    /^(\S+) cannot be reached: (.+)\. Check the address/,
    (issuer, why) => `无法访问 ${issuer}：${why}。请检查地址，以及本机能否连接到它。`,
  ],
  [
    /^(\S+) does not answer as an OpenID Connect issuer does \((.*)\)/,
    (issuer, why) =>
      `${issuer} 的应答不是 OpenID Connect 颁发者的应答（${why}）：请按其自称的颁发者地址填写。`,
  ],
  [/^No e-mail can be sent from here yet/, () => "尚无法发送邮件：请先设置邮件服务器和发件人。"],
  [
    /^Cannot connect to (\S+): nothing listens there/,
    place => `无法连接 ${place}：没有程序在监听。请检查主机和端口。`,
  ],
  [
    /^Cannot connect to (\S+): it did not answer in time/,
    place => `无法连接 ${place}：未及时应答。请检查主机和端口，以及防火墙。`,
  ],
  [/^Cannot connect to (\S+?)( \(\w+\))?\. Check/, place => `无法连接 ${place}。请检查主机和端口。`],
  [
    /^The certificate of (\S+) is not trusted: ([^.]+)/,
    place =>
      `${place} 的证书不受信任。请使用证书对应的名称，或更新证书；自有机构的证书可通过 NODE_EXTRA_CA_CERTS 信任。`,
  ],
  [
    /^(\S+) does not speak TLS from the beginning/,
    place => `${place} 不是从一开始就使用 TLS：请将加密方式设为 STARTTLS，或使用 TLS 端口（通常为 465）。`,
  ],
  [
    /^(\S+) was connected to but said nothing/,
    place => `已连接 ${place}，但没有应答。请确认那里有邮件服务器。`,
  ],
  [/^(\S+) closed the connection/, place => `${place} 在邮件发出前关闭了连接。请重试。`],
  [
    /^(\S+) refused the user or the password \((.+)\)\. Check/,
    (place, reply) => `${place} 拒绝了用户名或密码（${reply}）。请检查两者；有些服务商需要专用的程序密码。`,
  ],
  [
    /^(\S+) takes no user and password here/,
    place => `${place} 不接受用户名和密码。请检查端口，或移除用户名和密码。`,
  ],
  [
    /^(\S+) does not offer STARTTLS/,
    place => `${place} 不支持 STARTTLS。如果它从一开始就使用 TLS，请将加密方式设为 TLS。`,
  ],
  [
    /^(\S+) wants a user and a password/,
    place => `${place} 需要用户名和密码。请填写两者，并使用 STARTTLS 或 TLS。`,
  ],
  [
    /^(\S+) refused the sender (\S+)/,
    (place, from) => `${place} 拒绝了发件人 ${from}。请改为该用户可以使用的地址。`,
  ],
  [/^(\S+) refused the recipient (\S+)/, (place, to) => `${place} 拒绝了收件人 ${to}。请检查地址。`],
  [/^(\S+) refused the mail \((.+)\)/, (place, reply) => `${place} 拒绝了邮件（${reply}）。`],
  [
    /^(\S+) cannot (take the mail|check the user and password) now/,
    place => `${place} 暂时无法处理。请稍后重试。`,
  ],
];

const ALL = [...FIELDS, ...WHOLE];

/** The settings' names on the wire as the page calls them. */
function renamed(english: string): string {
  return english.replace(/“([a-z_]+)”|\b([a-z]+(?:_[a-z]+)+)\b/g, (whole, quoted, bare) => {
    const word = wordOf(key => fieldWords.en[key], String(quoted ?? bare));
    return word === null ? whole : `“${word}”`;
  });
}

/** Where it is not said at its field, the setting's name stands before it. */
const NAMED = /^“([a-z_]+)” (.)(.*)$/s;

function chinese(english: string): string | null {
  const [, name, first = "", rest = ""] = NAMED.exec(english) ?? [];
  if (name === undefined) return inChinese(ALL, english);
  const told = inChinese(ALL, first.toUpperCase() + rest);
  return told === null ? null : `${called(name)}：${told}`;
}

export function sentenceIn(english: string, language: Language): string {
  return (language === "zh" ? chinese(english) : null) ?? renamed(english);
}

/** A sentence of the server, at a field or after a test. */
export function useFieldSentence(): (english: string) => string {
  const { language } = useLanguage();
  return useCallback((english: string) => sentenceIn(english, language), [language]);
}

/** What went wrong with the whole. */
export function useSentence(): (error: unknown) => string {
  const { language } = useLanguage();
  return useCallback(
    (error: unknown) => {
      const isTold = error instanceof ApiError && (error.code === "invalid" || error.code === "conflict");
      return isTold ? sentenceIn(error.message, language) : errorText(error, language);
    },
    [language],
  );
}
