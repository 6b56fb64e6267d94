import type { Language } from "../words/language.ts";

type Rule = readonly [english: RegExp, chinese: (...found: string[]) => string];

const CERTIFICATES: readonly (readonly [english: RegExp, chinese: string])[] = [
  [/expired/, "证书已过期"],
  [/not valid yet/, "证书尚未生效，请检查本机时钟"],
  [/another name/, "证书属于另一个名称"],
  [/revoked/, "证书已被吊销"],
  [/signed by/, "证书由本机不信任的机构签发"],
];

const tlsHint = (rest: string) =>
  /set the security to tls/.test(rest) ? "如果它从一开始就使用 TLS，请将安全方式设为 tls。" : "";

/** The sentences by which the server says why a mail was not sent. */
const RULES: readonly Rule[] = [
  [/^No e-mail can be sent from here yet/, () => "此处尚无法发送邮件：请在设置中填写邮件服务器和发件人。"],
  [/^Its recipient is not an e-mail address/, () => "收件人不是有效的邮箱地址。"],
  [
    /^Cannot connect to (\S+): nothing listens there/,
    place => `无法连接 ${place}：该处没有服务在监听。请检查主机和端口。`,
  ],
  [
    /^Cannot connect to (\S+): it did not answer in time/,
    place => `无法连接 ${place}：未及时应答。请检查主机和端口，以及防火墙是否允许本机访问。`,
  ],
  [
    /^Cannot connect to (\S+): the name (\S+) cannot be resolved/,
    (place, name) => `无法连接 ${place}：无法解析名称 ${name}。请检查主机。`,
  ],
  [
    /^Cannot connect to (\S+): .* private address: if it is meant, put (\S+) into (\w+)/,
    (place, host, setting) => `无法连接 ${place}：它是内网地址。如确需使用，请将 ${host} 加入 ${setting}。`,
  ],
  [/^Cannot connect to (\S+): (.*)/, (place, why) => `无法连接 ${place}：${why}`],
  [/^Cannot connect to (\S+)/, place => `无法连接 ${place}。请检查主机和端口。`],
  [
    /^The certificate of (\S+) is not trusted: (.*?)\. /,
    (place, why) => {
      const reason = CERTIFICATES.find(([pattern]) => pattern.test(why ?? ""))?.[1] ?? "证书无效";
      return `${place} 的证书不受信任：${reason}。请使用证书所属的名称，或更新证书；自建机构可通过 NODE_EXTRA_CA_CERTS 信任。`;
    },
  ],
  [
    /^(\S+) does not speak TLS from the beginning/,
    place => `${place} 不是从一开始就使用 TLS：请将安全方式设为 starttls，或使用 TLS 端口（通常为 465）。`,
  ],
  [
    /^(\S+) was connected to but says nothing\.(.*)/,
    (place, rest) => `已连接 ${place}，但没有应答。请确认那里是邮件服务器。${tlsHint(rest ?? "")}`,
  ],
  [
    /^(\S+) closed the connection before the mail was sent\.(.*)/,
    (place, rest) => `${place} 在邮件发送前关闭了连接。请重试。${tlsHint(rest ?? "")}`,
  ],
  [
    /^(\S+) refused the user or the password \(it answered “(.*)”\)/,
    (place, reply) =>
      `${place} 拒绝了用户名或密码（应答：${reply}）。请检查两者；部分服务商需要在其设置中生成应用专用密码。`,
  ],
  [
    /^(\S+) cannot check the user and password now \(it answered “(.*)”\)/,
    (place, reply) => `${place} 暂时无法验证用户名和密码（应答：${reply}）。请稍后重试。`,
  ],
  [
    /^(\S+) takes no user and password here/,
    place => `${place} 在此不接受用户名和密码。请检查端口，或移除用户名和密码。`,
  ],
  [
    /^(\S+) does not offer STARTTLS \(it answered “(.*)”\)/,
    (place, reply) =>
      `${place} 不提供 STARTTLS（应答：${reply}）。如果它从一开始就使用 TLS，请将安全方式设为 tls；如果到它的网络完全由您控制，可设为 none。`,
  ],
  [
    /^(\S+) wants a user and a password \(it answered “(.*)”\)/,
    (place, reply) =>
      `${place} 需要用户名和密码（应答：${reply}）。请填写两者，并将安全方式设为 starttls 或 tls。`,
  ],
  [
    /^(\S+) cannot take the mail now \(it answered “(.*)”\)/,
    (place, reply) => `${place} 暂时无法接收邮件（应答：${reply}）。请稍后重试。`,
  ],
  [
    /^(\S+) refused the sender (\S+) \(it answered “(.*)”\)/,
    (place, from, reply) =>
      `${place} 拒绝了发件人 ${from}（应答：${reply}）。请改用该用户可以使用的发件地址。`,
  ],
  [
    /^(\S+) refused the recipient (\S+) \(it answered “(.*)”\)/,
    (place, to, reply) => `${place} 拒绝了收件人 ${to}（应答：${reply}）。请检查地址。`,
  ],
  [
    /^(\S+) refused the mail \(it answered “(.*)”\)/,
    (place, reply) => `${place} 拒绝了邮件（应答：${reply}）。`,
  ],
];

/** Why a mail was not sent, in the language chosen; what is not known is said as the server says it. */
export function mailProblemText(english: string, language: Language): string {
  if (language === "en") return english;
  for (const [pattern, chinese] of RULES) {
    const found = pattern.exec(english);
    if (found !== null) return chinese(...found.slice(1));
  }
  return english;
}
