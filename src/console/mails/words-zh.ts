import type { Change, MailWords } from "./mail.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  disable: "您的管理员账户已被停用。",
  enable: "您的管理员账户已重新启用。",
  "sign out": "您已在所有位置退出登录。",
  "make reset link": "有人为您的账户生成了设置新密码的链接。",
  "set password": "您的账户已设置新密码。",
  "turn off two-factor": "您账户的两步验证已关闭。",
  "renew recovery codes": "您的恢复代码已更换。",
  "disconnect sign-in service": "您的账户已与登录服务断开关联。",
};

const time = (ms: number) => {
  const form = new Intl.DateTimeFormat("zh-CN", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${form.format(ms)}（UTC）`;
};

const change = ({ field, before, after }: Change) =>
  `${field}：${before === "" ? "（无）" : before} → ${after === "" ? "（无）" : after}`;

export const wordsZh: MailWords = {
  sentBy: house => `此邮件由 ${house} 自动发送，请勿回复。`,
  invitation: ({ link, by, untilMs }, house) => ({
    subject: `邀请您加入 ${house}`,
    paragraphs: [
      `${by} 邀请您加入 ${house}：一个密钥、一个地址，即可使用多种语言模型。`,
      "打开链接并设置密码，即可进入。",
    ],
    action: { label: "接受邀请", url: link },
    notes: [`链接只能使用一次，有效期至 ${time(untilMs)}。`, "如果您不清楚这是什么，忽略即可。"],
  }),
  reset: ({ link, by, untilMs }, house) => ({
    subject: `为 ${house} 设置新密码`,
    paragraphs: [
      by === null
        ? `有人（很可能是您本人）请求为您在 ${house} 的账户设置新密码。`
        : `${by} 为您生成了一个链接，用于为您在 ${house} 的账户设置新密码。`,
    ],
    action: { label: "设置新密码", url: link },
    notes: [
      `链接只能使用一次，有效期至 ${time(untilMs)}。在设置新密码之前，旧密码仍然有效。`,
      by === null
        ? "如果不是您本人操作，忽略即可：没有此链接，任何人都无法更改。"
        : "如果您没有要求过，请在使用前先向对方确认。",
    ],
  }),
  low_balance: ({ balanceUsd, thresholdUsd, link }, house) => ({
    subject: `您在 ${house} 的余额不足`,
    paragraphs: [
      thresholdUsd === null
        ? `您在 ${house} 的余额为 ${balanceUsd} USD。`
        : `您在 ${house} 的余额为 ${balanceUsd} USD，低于您设置的提醒金额 ${thresholdUsd} USD。`,
      "余额用尽后，由余额支付的请求将被拒绝。",
    ],
    action: link === null ? null : { label: "查看余额", url: link },
    notes: ["您可以在账户页面设置从多少金额开始提醒。"],
  }),
  operator_changed: ({ changes, action, by, atMs }, house) => ({
    subject: `您在 ${house} 的管理员账户已变更`,
    paragraphs: [
      ACTIONS[action] ?? "您的管理员账户已变更。",
      ...changes.map(change),
      `操作者：${by}，时间：${time(atMs)}。`,
    ],
    action: null,
    notes: ["如果这不应发生，请与其他管理员联系，并查看审计记录。"],
  }),
  test: ({ by }, house) => ({
    subject: `来自 ${house} 的测试邮件`,
    paragraphs: [`邮件发送正常：${house} 可以通过邮件发送邀请和链接。此测试由 ${by} 发起。`],
    action: null,
    notes: [],
  }),
};
