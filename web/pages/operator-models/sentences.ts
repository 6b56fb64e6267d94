import { useCallback } from "react";
import { ApiError } from "../../api/api-error.ts";
import { errorText } from "../../api/error-text.ts";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";
import { sentenceZh as accountSentenceZh } from "../operator-accounts/sentences.ts";

type Rule = readonly [english: RegExp, chinese: (...found: string[]) => string];

const NOUNS: Readonly<Record<string, string>> = { model: "模型", group: "分组", plan: "套餐" };

/** The server speaks English; these are its sentences about models, prices, groups and plans. */
const RULES: readonly Rule[] = [
  [
    /^There is a (model|group|plan) “(.+)” already/,
    (noun, name) => `已有名为“${name}”的${NOUNS[noun ?? ""]}。请换一个名称。`,
  ],
  [/^There is no such planned price/, () => "找不到此计划价格，它可能已经生效。"],
  [/^“(.+)” has (\d+) planned prices/, (name, most) => `“${name}”已有 ${most} 个计划价格。请先撤回一个。`],
  [/^There is no model “(.+)” any more/, name => `模型“${name}”已不存在。`],
  [/^There is no group “(.+)”/, name => `没有名为“${name}”的分组。`],
  [/^There is no account (\S+?)\.?$/, email => `没有账户 ${email}。`],
  [
    /^There is no such (model|group|plan)\. It may have been removed/,
    noun => `找不到此${NOUNS[noun ?? ""]}，它可能已被移除。`,
  ],
  [
    /^The model “(.+)” is served by (.+)\. Take it out there/,
    (name, by) => `模型“${name}”由 ${by} 提供。请先在那里移除。`,
  ],
  [
    /^(One key is|(\d+) keys are) in the group “(.+)”\. Move them/,
    (_, count, name) => `分组“${name}”中有 ${count ?? "1"} 个密钥。请先把它们移到其他分组，或停用此分组。`,
  ],
  [
    /^The plan “(.+)” pays for the group “(.+)”\. Take it out/,
    (plan, group) => `套餐“${plan}”可用于分组“${group}”。请先从套餐中移除该分组。`,
  ],
  [
    /^(One account has|(\d+) accounts have) the plan “(.+)”\. End/,
    (_, count, name) => `有 ${count ?? "1"} 个账户拥有套餐“${name}”。请先结束这些订阅。`,
  ],
  [
    /^This catalogue cannot be read, at line (\S+): (.+)\. Give the models/,
    line =>
      `无法读取此价格目录，第 ${line} 行有误。请提供 apply 文件中的 models 部分，或 genai-prices 发布的列表。`,
  ],
  [
    /^This catalogue .+ Give the models/,
    () => "无法读取此价格目录。请提供 apply 文件中的 models 部分，或 genai-prices 发布的列表。",
  ],
];

/** A sentence of the server in Chinese; null where it is not known. */
export function sentenceZh(english: string): string | null {
  for (const [pattern, chinese] of RULES) {
    const found = pattern.exec(english);
    if (found !== null) return chinese(...found.slice(1));
  }
  return accountSentenceZh(english);
}

export function sentenceOf(error: unknown, language: Language): string {
  if (language === "zh" && error instanceof ApiError) {
    const field = error.fields[0]?.message;
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
