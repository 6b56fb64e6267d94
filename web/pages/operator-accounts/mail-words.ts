import { defineWords } from "../../words/define-words.ts";

/** What is said of links that go out by e-mail. */
export const mailWords = defineWords({
  en: {
    sendMail: "Send the link by e-mail",
    sendMailHint: "It is shown here all the same.",
    emailHint: "They sign in with it.",
    sent: "Sent to {email}",
    sentText: "The mail is on its way. Here is the link as well, should it not arrive.",
    whoever: "Whoever has it can use it, once.",
    notSent: "The e-mail was not sent",
    notSentText: "{problem} The link below is good all the same.",
  },
  zh: {
    sendMail: "通过邮件发送链接",
    sendMailHint: "链接仍会显示在这里。",
    emailHint: "用于登录。",
    sent: "已发送至 {email}",
    sentText: "邮件已发出。以下也是该链接，以防未送达。",
    whoever: "拿到链接的人可以使用一次。",
    notSent: "邮件未能发送",
    notSentText: "{problem}以下链接仍然有效。",
  },
});
