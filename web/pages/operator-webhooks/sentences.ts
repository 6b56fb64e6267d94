import { useMemo } from "react";
import { ApiError } from "../../api/api-error.ts";
import { errorText } from "../../api/error-text.ts";
import type { Language } from "../../words/language.ts";
import { useLanguage } from "../../words/language-provider.tsx";
import { inChinese, type SentenceRule } from "../../words/sentence-rules.ts";

/** What the server says of webhooks, and of messages that did not arrive. */
const RULES: readonly SentenceRule[] = [
  [/^A webhook needs a name/, () => "请输入名称。"],
  [/^A webhook's name has at most (\d+)/, most => `名称最多 ${most} 个字符。`],
  [/^A webhook's name has no/, () => "名称不能包含控制字符或改变文字方向的字符。"],
  [/^An address has at most (\d+)/, most => `地址最多 ${most} 个字符。`],
  [/^Enter a whole address/, () => "请输入完整地址，例如 https://example.org/hooks/wicketgate。"],
  [/^An address has no user name/, () => "地址不能包含用户名和密码：消息带有签名，接收者可以据此验证。"],
  [/^Leave out the part from “#” on/, () => "请去掉“#”及其后的部分：它不会被发送。"],
  [/^The address must begin with https/, () => "地址必须以 https:// 开头，以免途中被读取或更改。"],
  [
    /^This address cannot be used: (.+?) is refused, because that is a private address.*put (\S+) into (\S+)\.$/,
    (where, host, variable) =>
      `不能使用此地址：${where} 是私有地址。如果确实需要，请将 ${host} 加入 ${variable}。`,
  ],
  [/^This address cannot be used/, () => "不能使用此地址：它不是公网地址。"],
  [/^Choose at least one event/, () => "请至少选择一个事件。"],
  [
    /^The receiver redirects .*\((\d+)\)/,
    status => `接收者要求重定向（${status}），系统不跟随重定向：请填写最终地址。`,
  ],
  [
    /^The receiver does not let this in \((.+)\): correct/,
    why => `接收者不予放行（${why}）：请更正地址，或其验证签名所用的密钥。`,
  ],
  [
    /^The receiver takes nothing at this address \((.+)\): correct/,
    why => `接收者在此地址不接收消息（${why}）：请更正地址。`,
  ],
  [/^The receiver wants nothing any more/, () => "接收者不再接收消息（410），此 Webhook 已停用。"],
  [/^The receiver is asked too much/, () => "接收者请求过多（429）；稍后会重试。"],
  [/^The receiver fails \((.+)\): look/, why => `接收者出错（${why}）：请查看其日志。`],
  [/^The receiver refuses this \((.+)\)\.$/, why => `接收者拒绝了消息（${why}）。`],
  [/^Nothing listens at (\S+):/, host => `${host} 没有程序在监听：请启动接收程序，或更正地址。`],
  [/^The certificate of (\S+) has expired/, host => `${host} 的证书已过期：须在那里更新。`],
  [
    /^The certificate of (\S+) is for another name/,
    host => `${host} 的证书属于另一个名称：请使用证书对应的名称。`,
  ],
  [
    /^The certificate of (\S+) is self-signed/,
    host => `${host} 的证书不受信任：请通过 NODE_EXTRA_CA_CERTS 指定其签发机构。`,
  ],
  [/^(\S+) makes no secure connection/, host => `无法与 ${host} 建立安全连接：请更正地址。`],
  [/^(\S+) cannot be reached in time/, host => `未能及时连接 ${host}：请更正地址，或放行网络。`],
  [/^(\S+) does not answer within ten seconds/, host => `${host} 未在十秒内应答：请让它先应答再处理。`],
  [/^(\S+) does not speak HTTP/, host => `${host} 不使用 HTTP/1.1：请更正地址。`],
  [/^(\S+) cannot be reached: (.+)$/, (host, why) => `无法访问 ${host}：${why}`],
  [/^(\S+) does not answer as it should/, host => `${host} 的应答不正常。`],
  [/^It is being sent just now/, () => "正在发送中。请稍后再看。"],
  [/^More than ([\d,]+) were waiting/, most => `等待中的消息超过 ${most} 条，最旧的已被放弃。`],
];

export function sentenceIn(english: string, language: Language): string {
  return (language === "zh" ? inChinese(RULES, english) : null) ?? english;
}

/** `tell` for what a call failed with, `tellProblem` for a sentence of the server. */
export function useSentence(): {
  tell: (error: unknown) => string;
  tellProblem: (english: string) => string;
} {
  const { language } = useLanguage();
  return useMemo(
    () => ({
      tell: error => {
        const isTold = error instanceof ApiError && (error.code === "invalid" || error.code === "conflict");
        return isTold ? sentenceIn(error.message, language) : errorText(error, language);
      },
      tellProblem: english => sentenceIn(english, language),
    }),
    [language],
  );
}
