import type { Language } from "../../words/language.ts";
import type { Preset } from "./upstream-reads.ts";

type Rule = readonly [english: RegExp, chinese: (...found: string[]) => string];

/** The server's notes on providers, each a sentence of its own. */
const RULES: readonly Rule[] = [
  [/^Its address looks like (\S+)\.$/, example => `地址形如 ${example}。`],
  [
    /^The key is the JSON file of a service account in base64, or an access token\.$/,
    () => "密钥是服务账号的 JSON 文件（base64 编码），或一个访问令牌。",
  ],
  [/^Models are entered by name\.$/, () => "模型需要按名称输入。"],
  [/^Models are entered by the names of their deployments\.$/, () => "模型需要按部署名称输入。"],
  [/^Claude models, entered by name\.$/, () => "Claude 模型，按名称输入。"],
  [
    /^The key is a Bedrock API key, or ACCESS_KEY_ID:SECRET_ACCESS_KEY\.$/,
    () => "密钥是 Bedrock API 密钥，或 ACCESS_KEY_ID:SECRET_ACCESS_KEY。",
  ],
  [
    /^A key of the platform in China needs the address (\S+)\.$/,
    address => `中国区平台的密钥需要使用地址 ${address}。`,
  ],
];

/** Sentences end with a full stop and a blank; addresses have stops, but no blanks. */
export function noteZh(note: string): string | null {
  const parts = note.split(/(?<=\.) (?=[A-Z])/).map(sentence => {
    for (const [pattern, chinese] of RULES) {
      const found = pattern.exec(sentence);
      if (found !== null) return chinese(...found.slice(1));
    }
    return null;
  });
  return parts.includes(null) ? null : parts.join("");
}

export function presetNote({ note }: Pick<Preset, "note">, language: Language): string | null {
  if (note === null) return null;
  return language === "zh" ? (noteZh(note) ?? note) : note;
}

const GENERAL_ZH: Readonly<Record<string, string>> = {
  "openai-compatible": "任何兼容 OpenAI API 的服务",
  "anthropic-compatible": "任何兼容 Anthropic API 的服务",
};

export function presetName({ kind, name }: Pick<Preset, "kind" | "name">, language: Language): string {
  return language === "zh" ? (GENERAL_ZH[kind] ?? name) : name;
}

/** Those with a name first, and then what takes anybody. */
export function inReach(presets: readonly Preset[]): Preset[] {
  const isGeneral = ({ kind }: Preset) => kind in GENERAL_ZH;
  return [...presets.filter(one => !isGeneral(one)), ...presets.filter(isGeneral)];
}
