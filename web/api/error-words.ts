import { defineWords } from "../words/define-words.ts";

/** What each refusal means for a person. Where the server's own sentence says more, that one is shown. */
export const errorWords = defineWords({
  en: {
    offline: "You are offline. Try again when the connection is back.",
    lost: "The server could not be reached. Check the connection and try again.",
    not_signed_in: "You are signed out. Sign in again to go on.",
    recent_sign_in_needed: "This needs a proof that it is you. Try again and confirm.",
    not_allowed: "Your account may not do this. Ask an operator.",
    cross_site:
      "The request did not come from this page's own address. Open the console at its public address.",
    method_not_allowed: "This page asked for something the server does not do. Reload the page.",
    not_found: "It is not there. It may have been deleted, or the address has a mistake.",
    too_large: "That is more than the server takes. Send less.",
    unsupported_media_type: "The server does not take this kind of data. Reload the page.",
    throttled: {
      one: "Too many tries. Try again in {count} second.",
      other: "Too many tries. Try again in {count} seconds.",
    },
    throttledSome: "Too many tries. Wait a minute and try again.",
    wrong_sign_in: "E-mail, password or code is wrong.",
    link_invalid: "This link was used already, has expired or is not complete. Ask for a new one.",
    unavailable: "The server is busy or being restarted. Try again in a moment.",
    failed: "Something went wrong on the server. Try again; if it goes on, tell the operator.",
    unexpected: "Something went wrong on this page. Reload it.",
    withId: "{text} Request {id}.",
  },
  zh: {
    offline: "当前离线。请在网络恢复后重试。",
    lost: "无法连接服务器。请检查网络后重试。",
    not_signed_in: "您已退出登录。请重新登录后继续。",
    recent_sign_in_needed: "此操作需要确认是您本人。请重试并完成确认。",
    not_allowed: "您的账户无权执行此操作。请联系管理员。",
    cross_site: "请求不是来自本页面自己的地址。请通过公开地址打开控制台。",
    method_not_allowed: "页面发出了服务器不支持的请求。请刷新页面。",
    not_found: "找不到。它可能已被删除，或者地址有误。",
    too_large: "内容超过了服务器的上限。请减少内容。",
    unsupported_media_type: "服务器不接受这种数据。请刷新页面。",
    throttled: "尝试次数过多。请在 {count} 秒后重试。",
    throttledSome: "尝试次数过多。请等待一分钟后重试。",
    wrong_sign_in: "邮箱、密码或验证码不正确。",
    link_invalid: "此链接已被使用、已过期或不完整。请索取新的链接。",
    unavailable: "服务器繁忙或正在重启。请稍后重试。",
    failed: "服务器出错。请重试；如果持续出现，请告知管理员。",
    unexpected: "页面出错。请刷新页面。",
    withId: "{text}请求编号 {id}。",
  },
});
