import { useCallback } from "react";
import { ApiError } from "../../api/api-error.ts";
import { errorText } from "../../api/error-text.ts";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";

type Rule = readonly [english: RegExp, chinese: (...found: string[]) => string];

/** What stands in brackets after a status, quoted from the upstream itself. */
const said = (quoted: string | undefined) => quoted?.replace(/, and says: /, "，并称：") ?? "";

/** The server speaks English; these are its sentences about upstreams and their keys. */
const RULES: readonly Rule[] = [
  [
    /^(\S+) does not accept the key \((.*)\): give one/s,
    (url, why) => `${url} 不接受此密钥（${said(why)}）：请提供有效且有相应权限的密钥。`,
  ],
  [/^(\S+) asks for a key \((.*)\):/s, (url, why) => `${url} 需要密钥（${said(why)}）：请输入密钥。`],
  [
    /^(\S+) answers with a web page and not as an API/,
    url => `${url} 返回的是网页而不是 API：请更正基础地址。`,
  ],
  [/^(\S+) answers, but not with a list of models/, url => `${url} 有响应，但不是模型列表：请更正基础地址。`],
  [
    /^(\S+) answers, but not in the dialect/,
    url => `${url} 有响应，但不是所设的接口格式：请更正接口或基础地址。`,
  ],
  [
    /^(\S+) lists more than can be taken/,
    url => `${url} 列出的模型过多：请输入需要的模型名称，并在不检查的情况下保存。`,
  ],
  [/^(\S+) answers without end/, url => `${url} 的响应没有结尾。`],
  [
    /^(\S+) lists no models/,
    url => `${url} 没有列出任何模型：请在那里加载模型或授予权限，或输入模型名称并在不检查的情况下保存。`,
  ],
  [
    /^(\S+) redirects .*\((\d+)\)/,
    (url, status) => `${url} 发生重定向（${status}），而重定向不会被跟随：请更正基础地址。`,
  ],
  [
    /^There is no list of models at (\S+) \((\d+)\)/,
    (url, status) => `${url} 没有模型列表（${status}）：请更正基础地址。`,
  ],
  [
    /^(\S+) does not know this \((.*)\): correct/s,
    (url, why) => `${url} 不认识此请求（${said(why)}）：请更正模型名称或基础地址。`,
  ],
  [
    /^(\S+) wants to be paid first \((.*)\)/s,
    (url, why) => `${url} 需要先付费（${said(why)}）：请在那里充值。`,
  ],
  [/^(\S+) is asked too much \((.*)\)/s, (url, why) => `${url} 请求过多（${said(why)}）：请稍后再试。`],
  [/^(\S+) fails \((.*)\)/s, (url, why) => `${url} 出错（${said(why)}）：请稍后再试。`],
  [/^(\S+) refuses this \((.*)\)/s, (url, why) => `${url} 拒绝了此请求（${said(why)}）。`],
  [/^Nothing listens at (\S+):/, host => `${host} 没有服务在监听：请启动那里的服务器，或更正基础地址。`],
  [
    /^The certificate of (\S+) is self-signed/,
    host => `${host} 的证书是自签名的，或其颁发机构不受信任：请在 NODE_EXTRA_CA_CERTS 中指定颁发机构的文件。`,
  ],
  [/^The certificate of (\S+) has expired/, host => `${host} 的证书已过期：需要在那里更新。`],
  [
    /^The certificate of (\S+) is for another name/,
    host => `${host} 的证书属于另一个名称：请使用证书上的名称。`,
  ],
  [
    /^(\S+) makes no secure connection/,
    host => `${host} 无法建立安全连接：请更正基础地址；如果没有加密，请写 http://。`,
  ],
  [/^(\S+) cannot be reached in time/, host => `${host} 连接超时：请更正基础地址，或打通到它的网络。`],
  [/^(\S+) does not speak HTTP\/1\.1/, host => `${host} 不使用 HTTP/1.1：请更正基础地址。`],
  [/^(\S+) cannot be reached: (.*)\.$/s, (host, why) => `无法连接 ${host}：${why}。`],
  [/^(\S+) does not answer as it should/, host => `${host} 的响应不正确：请重试，或更正基础地址。`],
  [
    /^(\S+) does not list (.*): correct the name/s,
    (url, names) => `${url} 没有列出 ${names}：请更正名称；如果确认无误，可以在不检查的情况下保存。`,
  ],
  [/^Nothing lists what this upstream has/, () => "此上游不提供模型列表：请输入模型名称。"],
  [
    /^This must be the base address, to which the gateway adds (\S+) by itself: write (\S+)\.$/,
    (path, url) => `请填写基础地址，网关会自行加上 ${path}：请写 ${url}。`,
  ],
  [/^There is an upstream “(.*)” already/s, name => `已有名为“${name}”的上游：请换一个名称。`],
  [/^There is no such upstream/, () => "没有这个上游，它可能已被移除。"],
  [/^This upstream has no such key/, () => "此上游没有这个密钥，它可能已被移除。"],
  [/^This provider answers to a key alone/, () => "此服务商需要密钥：请输入密钥。"],
  [/^Choose at least one model/, () => "请至少选择一个模型。"],
  [/^The model “(.*)” is there twice/s, name => `模型“${name}”重复。`],
  [/^This upstream has no model yet/, () => "此上游还没有模型，请先添加。"],
  [
    /^The address changes, and the keys of this upstream are bound/,
    () => "地址已更改，而此上游的密钥绑定在旧地址上：请重新输入密钥。",
  ],
  [/^The address of this upstream was changed meanwhile/, () => "此上游的地址刚刚被更改。请重新添加密钥。"],
  [/^This upstream has this very key already/, () => "此上游已有这个密钥。"],
  [/^This upstream is built in, and takes no key/, () => "此上游是内置的，不需要密钥。"],
];

/** A sentence of the server in Chinese; null where it is not known. */
export function sentenceZh(english: string): string | null {
  const bare = english.replace(/ Nothing is saved\.$/, "");
  for (const [pattern, chinese] of RULES) {
    const found = pattern.exec(bare);
    if (found !== null) return `${chinese(...found.slice(1))}${bare === english ? "" : "没有保存任何内容。"}`;
  }
  return null;
}

/** A sentence of the server in the language chosen, as far as it is known there. */
export function sentenceIn(english: string, language: Language): string {
  return language === "zh" ? (sentenceZh(english) ?? english) : english;
}

export function sentenceOf(error: unknown, language: Language): string {
  if (!(error instanceof ApiError)) return errorText(error, language);
  const field = error.fields[0]?.message;
  if (language === "zh") {
    const translated = sentenceZh(error.message) ?? (field === undefined ? null : sentenceZh(field));
    if (translated !== null) return translated;
  }
  return errorText(error, language);
}

/** What went wrong, as a sentence in the language chosen. */
export function useSentence(): (error: unknown) => string {
  const { language } = useLanguage();
  return useCallback((error: unknown) => sentenceOf(error, language), [language]);
}

/** What is wrong with one field of what was sent; undefined where nothing is. */
export function useFieldError(error: unknown): (path: string) => string | undefined {
  const { language } = useLanguage();
  return path => {
    const found = error instanceof ApiError ? error.field(path) : undefined;
    return found === undefined ? undefined : sentenceIn(found, language);
  };
}
