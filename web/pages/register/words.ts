import { defineWords } from "../../words/define-words.ts";

export const words = defineWords({
  en: {
    title: "Create an account",
    text: "at {house}",
    email: "E-mail",
    emailHint: "You sign in with it.",
    emailMissing: "Enter your e-mail.",
    emailWrong: "This does not look like an e-mail address.",
    password: "Password",
    submit: "Create account",
    have: "You have an account already?",
    signIn: "Sign in",
    closedTitle: "Registration is closed here",
    closedText: "Accounts are made by invitation. Ask the operator of this house for a link.",
  },
  zh: {
    title: "创建账户",
    text: "{house}",
    email: "邮箱",
    emailHint: "用于登录。",
    emailMissing: "请输入邮箱。",
    emailWrong: "这看起来不是一个邮箱地址。",
    password: "密码",
    submit: "创建账户",
    have: "已有账户？",
    signIn: "登录",
    closedTitle: "此处未开放注册",
    closedText: "账户通过邀请创建。请向管理员索取邀请链接。",
  },
});
