import { defineWords } from "../../words/define-words.ts";

/** Apart from the others: they come with what they belong to. */
export const houseChartWords = defineWords({
  en: {
    byAccount: "by account",
    byUpstream: "by upstream",
    chartByAccount: "Stacked by account",
    chartByUpstream: "Stacked by upstream",
    chartDayCharged: "Charged per day",
    chartDayOurCost: "Our cost per day",
    chartDayMargin: "Margin per day",
    chartHourCharged: "Charged per hour",
    chartHourOurCost: "Our cost per hour",
    chartHourMargin: "Margin per hour",
  },
  zh: {
    byAccount: "按账户",
    byUpstream: "按上游",
    chartByAccount: "按账户堆叠",
    chartByUpstream: "按上游堆叠",
    chartDayCharged: "每日收费",
    chartDayOurCost: "每日成本",
    chartDayMargin: "每日毛利",
    chartHourCharged: "每小时收费",
    chartHourOurCost: "每小时成本",
    chartHourMargin: "每小时毛利",
  },
});
