import { useCallback } from "react";
import { ApiError } from "../../api/api-error.ts";
import { errorText } from "../../api/error-text.ts";
import { formatTime } from "../../format/time.ts";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";

type Rule = readonly [english: RegExp, chinese: (...found: string[]) => string];

/** The server speaks English; these are its sentences about accounts. A test asks it for each of them. */
const RULES: readonly Rule[] = [
  [/^The code is empty\.$/, () => "请输入充值码。"],
  [/it is an API key, and a redemption code begins with wgc_/, () => "这是 API 密钥。充值码以 wgc_ 开头。"],
  [/it is a shortened form for display/, () => "这是用于显示的缩写形式。请输入创建时显示的完整充值码。"],
  [/its beginning is missing or mistyped/, () => "充值码的开头缺失或有误，应以 wgc_ 开头。"],
  [
    /the character at position (\d+) is wrong: no code has a U/,
    at => `第 ${at} 个字符有误：充值码中没有字母 U，可能是 V。`,
  ],
  [
    /the character at position (\d+) is wrong/,
    at => `第 ${at} 个字符有误：wgc_ 之后只有字母和数字，每四个一组。`,
  ],
  [
    /it has (\d+) .*? after wgc_, and a whole code has (\d+)/,
    (has, whole) => `wgc_ 之后有 ${has} 个字母和数字，完整的充值码有 ${whole} 个。`,
  ],
  [/its checksum does not fit/, () => "校验不符：有字符输错，或两个字符颠倒了。"],
  [/^This code is not known/, () => "没有这个充值码：格式正确，但不是由本站发放的。"],
  [/^This code has been redeemed already/, () => "此充值码已被使用。每个充值码只能使用一次。"],
  [/^This code expired at (.+)\.$/, at => `此充值码已于 ${formatTime(at, "zh")} 过期。`],
  [/is disabled, so it cannot redeem a code/, () => "此账户已停用，无法兑换充值码。"],
  [/would have more than ([\d,]+) USD/, most => `兑换后余额会超过上限 $${most}。`],
  [/^The password is longer than/, () => "密码过长，最多 1,024 字节。"],
  [/^The password needs at least (\d+)/, least => `密码至少需要 ${least} 个字符；几个不相关的词就很好。`],
  [/^The password is your e-mail address/, () => "密码与您的邮箱相同。请换一个别人猜不到的。"],
  [/^This password is among those/, () => "这个密码太常见，容易被猜到。请换一个，例如几个不相关的词。"],
  [
    /must have 1 to 100 characters, and none that control the text/,
    () => "名称须为 1 到 100 个字符，且不能包含控制字符或改变文字方向的字符。",
  ],
  [
    /^This is not the code of this app at this moment/,
    () => "这不是该应用当前的验证码。请确认手机时间为自动设置，并输入此刻显示的验证码。",
  ],
  [/^Two-factor is on already/, () => "两步验证已开启。要更换验证器应用，请先关闭。"],
  [/^Two-factor is (not on|off)/, () => "两步验证尚未开启。"],
  [/^This took too long\. Begin the set-up/, () => "用时过长。请重新开始设置验证器应用。"],
  [/^This took too long, or was done already\. Add/, () => "用时过长，或已经完成。请重新添加通行密钥。"],
  [
    /does not prove a new passkey/,
    () => "浏览器返回的内容无法证明这是新的通行密钥。请重试，或换一个验证器。",
  ],
  [/^This passkey is kept already/, () => "此通行密钥已经添加过。"],
  [/^An account has at most (\d+) passkeys/, most => `每个账户最多 ${most} 个通行密钥。请先移除不用的。`],
  [/^This passkey is the only way/, () => "这是此账户唯一的登录方式。请先设置密码或添加其他通行密钥。"],
  [
    /^The sign-in service is the only way/,
    () => "登录服务是此账户唯一的登录方式。请先设置密码或添加通行密钥。",
  ],
  [
    /^A passkey belongs to a host name.* open it as (\S+?)\.?$/,
    address => `通行密钥需要域名。请通过 ${address} 打开控制台。`,
  ],
  [
    /^A passkey belongs to a host name/,
    () => "通行密钥需要域名，而控制台是通过 IP 地址打开的。请管理员设置 WICKETGATE_PUBLIC_URL。",
  ],
];

/** A sentence of the server in Chinese; null where it is not known. */
export function sentenceZh(english: string): string | null {
  for (const [pattern, chinese] of RULES) {
    const found = pattern.exec(english);
    if (found !== null) return chinese(...found.slice(1));
  }
  return null;
}

/** What went wrong, as a sentence in the language chosen. */
export function sentenceOf(error: unknown, language: Language): string {
  const own = error instanceof ApiError ? (error.fields[0]?.message ?? error.message) : "";
  const whole = error instanceof ApiError ? error.message : "";
  const translated = language === "zh" ? (sentenceZh(whole) ?? sentenceZh(own)) : null;
  return translated ?? errorText(error, language);
}

export function useSentence(): (error: unknown) => string {
  const { language } = useLanguage();
  return useCallback((error: unknown) => sentenceOf(error, language), [language]);
}
