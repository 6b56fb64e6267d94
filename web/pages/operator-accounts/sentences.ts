import { useCallback } from "react";
import { ApiError } from "../../api/api-error.ts";
import { errorText } from "../../api/error-text.ts";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";

type Rule = readonly [english: RegExp, chinese: (...found: string[]) => string];

/** The server speaks English; these are its sentences about what operators do to accounts, codes and tokens. */
const RULES: readonly Rule[] = [
  [
    /^This would leave no operator who can sign in/,
    () => "这样将没有可以登录的管理员。请先让另一位可以登录的人成为管理员。",
  ],
  [
    /^This is your own account: you would be signed out/,
    () => "这是您自己的账户：停用后您会被退出，且无法再启用。请联系另一位管理员。",
  ],
  [/^One of these accounts is not there any more/, () => "其中一个账户已不存在，因此没有任何更改。"],
  [/^This plan is not there any more/, () => "此套餐已不存在。请从列表中选择。"],
  [/^This subscription has ended already/, () => "此订阅已经结束。"],
  [
    /^(\S+) has (\S+) USD free, which is less than the debit/,
    (email, free) => `${email} 可用余额为 $${free}，少于要扣减的金额。`,
  ],
  [/^(\S+) would have more than ([\d,]+) USD/, (email, most) => `${email} 的余额会超过上限 $${most}。`],
  [
    /^This idempotency key was used before/,
    () => "上一次的操作已经记账，金额或原因与现在不同。请关闭窗口，查看账目后再试。",
  ],
  [/^Enter (an amount other|more) than zero/, () => "请输入大于零的金额。"],
  [/^Say why, because the ledger keeps it/, () => "请填写原因，它会保留在账目中。"],
  [/^This time has passed\. Choose a later one, or none/, () => "该时间已过。请选择更晚的时间，或不设期限。"],
  [/^This time has passed/, () => "该时间已过。请选择更晚的时间，或直接结束订阅。"],
  [/^There is an account (\S+) already/, email => `已有账户 ${email}。`],
  [
    /^(\S+) has an account here and can sign in/,
    email => `${email} 已有账户且可以登录；如果忘记了密码，请生成重设密码链接。`,
  ],
  [
    /^(\S+) has an account here already, as (\w+)/,
    (email, role) =>
      `${email} 已有账户，角色为${role === "operator" ? "管理员" : "普通账户"}。请以该角色邀请，或先更改其角色。`,
  ],
  [/^The account (\S+) is disabled; enable it first/, email => `账户 ${email} 已停用，请先启用。`],
  [/^A code must be worth more than zero/, () => "充值码的金额必须大于零。"],
  [/^A code is worth at most ([\d,]+) USD/, most => `充值码的金额最多为 $${most}，即账户余额的上限。`],
  [
    /^The code \S+ was redeemed by (\S+):/,
    email => `此充值码已被 ${email} 使用：已充入的金额只能通过扣减收回。`,
  ],
  [
    /^Only an operator whose account is enabled can have a token/,
    () => "只有已启用的管理员账户才能拥有令牌。",
  ],
  [/has (\d+) tokens, which is the most/, most => `已有 ${most} 个令牌，达到上限。请先撤销不用的令牌。`],
  [
    /must have 1 to 100 characters, and none that control the text/,
    () => "名称须为 1 到 100 个字符，且不能包含控制字符或改变文字方向的字符。",
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
