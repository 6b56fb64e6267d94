import { defineWords } from "../../words/define-words.ts";

/** Apart from the others: they come with what they belong to. */
export const houseReceiptWords = defineWords({
  en: {
    onlyAccount: "Show only this account",
    onlyUpstream: "Show only this upstream",
    openAccount: "Open the account",
    asked: "Upstreams asked",
    answered: "answered",
    gaveUp: "was asked last",
    tookMs: "after {time}",
    moneyOfIt: "What is left of it",
    chargedLine: "Charged",
    refundedLine: "Refunded",
    notFoundText:
      "The link may have a mistake, or the request is older than rows are kept. Its sums stay in the charts.",
  },
  zh: {
    onlyAccount: "只看此账户",
    onlyUpstream: "只看此上游",
    openAccount: "打开账户",
    asked: "请求过的上游",
    answered: "已应答",
    gaveUp: "最后请求",
    tookMs: "用时 {time}",
    moneyOfIt: "收入与成本",
    chargedLine: "收费",
    refundedLine: "已退款",
    notFoundText: "链接可能有误，或者请求已超过明细保留期限。其合计仍保留在图表中。",
  },
});
