import { defineWords } from "../../words/define-words.ts";

/** What an event is, and when it is told. */
export const eventWords = defineWords({
  en: {
    "balance.low": "An account's balance is low",
    "balance.lowText": "Once when it falls below the account's own warning, or to zero.",
    "credential.rejected": "An upstream rejects a credential",
    "credential.rejectedText": "Its key was refused; requests go to others, if there are any.",
    "breaker.opened": "An upstream is left alone for a while",
    "breaker.openedText": "It failed too often, so it rests and is tried again later.",
    "key.created": "A key was made",
    "key.createdText": "By anybody, anywhere: console, command line, apply.",
    "key.deleted": "A key was deleted",
    "key.deletedText": "By anybody, anywhere.",
    "spend.alert": "A limit is nearly used up",
    "spend.alertText": "At 80 and 100 percent of a quota, a spend limit or a plan's window.",
    "operator.changed": "An operator was changed by another",
    "operator.changedText": "A role, a sign-in or a second factor.",
    test: "A test",
  },
  zh: {
    "balance.low": "账户余额不足",
    "balance.lowText": "低于账户自己的提醒值或降至零时，通知一次。",
    "credential.rejected": "上游拒绝了凭据",
    "credential.rejectedText": "其密钥被拒绝；如有其他上游，请求会转过去。",
    "breaker.opened": "上游暂停使用",
    "breaker.openedText": "失败过多，暂时休息，稍后再试。",
    "key.created": "创建了密钥",
    "key.createdText": "任何人，任何途径：控制台、命令行、apply。",
    "key.deleted": "删除了密钥",
    "key.deletedText": "任何人，任何途径。",
    "spend.alert": "限额即将用尽",
    "spend.alertText": "额度、消费限额或套餐周期用到 80% 和 100% 时。",
    "operator.changed": "管理员被另一位管理员更改",
    "operator.changedText": "角色、登录方式或第二因素。",
    test: "测试",
  },
});

export const EVENTS = [
  "balance.low",
  "spend.alert",
  "credential.rejected",
  "breaker.opened",
  "key.created",
  "key.deleted",
  "operator.changed",
] as const;

export type Event = (typeof EVENTS)[number];

/** Sent on demand; nobody subscribes to it. */
const TEST = "webhook.test";

type Say = (key: keyof (typeof eventWords)["en"]) => string;

/** An event of a newer server is shown as it is. */
export function eventName(say: Say, event: string): string {
  if (event === TEST) return say("test");
  const known = EVENTS.find(one => one === event);
  return known === undefined ? event : say(known);
}
