import type { Language } from "../setup/words.ts";

const english = {
  ccSwitch: "CC Switch shows what it will add, with the key masked, and asks first.",
  ccSwitchUsage: "It also gets a small script by which it shows what is left.",
  asksFirst: (app: string) => `${app} shows what it will add and asks first.`,
};

export type ImportWords = typeof english;

const chinese: ImportWords = {
  ccSwitch: "CC Switch 会先显示将要添加的内容（密钥会打码），并请你确认。",
  ccSwitchUsage: "同时会附带一个小脚本，用来显示剩余额度。",
  asksFirst: app => `${app} 会先显示将要添加的内容，并请你确认。`,
};

export function importWords(language: Language): ImportWords {
  return language === "zh" ? chinese : english;
}
