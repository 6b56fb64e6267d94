import type { Reason } from "../../src/domain/errors.ts";
import type { Told } from "./refusal-words.ts";

const TELL_OPERATOR = "请重试；如果一直如此，请把请求编号告诉管理员。";
const WAIT = "请在 {seconds} 秒后重试。";

/** The catalogue in Chinese; what stands in braces is taken from the English sentence. */
export const refusalsZh: Record<Reason, Told> = {
  key_missing: {
    message: "这个请求没有带 API 密钥。",
    remedy:
      "请把 Wicketgate 密钥（以 wgk_ 开头）填到客户端的 API 密钥一栏；含换行的密钥会被一些客户端直接丢弃。",
  },
  key_malformed: {
    message: "API 密钥不完整：{problem}。",
    bare: "API 密钥不完整。",
    remedy: "请重新完整复制密钥，不要带引号或空格；或在控制台新建一个。",
  },
  key_is_provider_key: {
    message: "这是 {provider} 的密钥，不是 Wicketgate 密钥。",
    bare: "这是其他厂商的密钥，不是 Wicketgate 密钥。",
    remedy: "请把 Wicketgate 密钥（以 wgk_ 开头）填到 {setting}，并从此客户端移除 {provider} 的密钥。",
  },
  key_unknown: {
    message: "这里没有这个 API 密钥。",
    remedy: "请确认密钥是在本站创建的，并且地址与密钥旁边显示的一致。",
  },
  key_disabled: {
    message: "密钥“{key}”已停用。",
    bare: "密钥已停用。",
    remedy: "请在控制台启用它，或改用其他密钥。",
  },
  key_expired: {
    message: "密钥“{key}”已于 {expired} 过期。",
    bare: "密钥已过期。",
    remedy: "请在控制台延长有效期，或改用其他密钥。",
  },
  key_deleted: {
    message: "密钥“{key}”已被删除。",
    bare: "密钥已被删除。",
    remedy: "请在控制台新建密钥，并填到这个客户端里。",
  },
  key_replaced: {
    message: "密钥“{key}”已换成新的密钥串，客户端里的旧串自 {ended} 起不再有效。",
    bare: "密钥已换成新的密钥串，客户端里的旧串不再有效。",
    remedy: "请把新的密钥串填到这个客户端；如果找不到了，请在控制台再轮换一次。",
  },
  account_disabled: { message: "此密钥所属的账户已停用。", remedy: "请联系本站管理员启用账户。" },
  group_disabled: {
    message: "此密钥所在的分组“{group}”已停用。",
    bare: "此密钥所在的分组已停用。",
    remedy: "请在控制台把密钥移到其他分组，或联系管理员。",
  },
  group_not_allowed: {
    message: "此密钥所在的分组“{group}”不再对本账户开放。",
    bare: "此密钥所在的分组不再对本账户开放。",
    remedy: "请在控制台把密钥移到其他分组，或请管理员把该分组开放给本账户。",
  },
  model_not_in_group: {
    message: "分组“{group}”里没有模型“{model}”；该分组有：{models}。",
    bare: "密钥所在的分组里没有这个模型。",
    remedy: "请在客户端选择分组里的模型，或把密钥移到有该模型的分组。",
  },
  model_unpriced: {
    message: "模型“{model}”还没有定价，暂时不能使用。",
    bare: "这个模型还没有定价，暂时不能使用。",
    remedy: "请让管理员为它定价，或换一个模型。",
  },
  balance_exhausted: {
    message: "账户余额不足以支付此请求：可用 {available} 美元，最多需要 {needed} 美元。",
    bare: "账户余额不足以支付此请求。",
    remedy: "请充值，或减少输出 token 上限。",
  },
  subscription_exhausted: {
    message: "账户的订阅不足以支付此请求，最多需要 {needed} 美元。",
    bare: "账户的订阅不足以支付此请求。",
    remedy: "请等订阅额度恢复，或把密钥移到由余额支付的分组。",
  },
  key_quota_exhausted: {
    message:
      "密钥“{key}”的额度不足以支付此请求：{quota} 美元中还剩 {available} 美元，最多需要 {needed} 美元。",
    bare: "密钥的额度不足以支付此请求。",
    remedy: "请在控制台提高此密钥的额度、改用其他密钥，或减少输出 token 上限。",
  },
  account_limit_exhausted: {
    message:
      "账户每{period}最多可花 {limit} 美元：在 {refills} 之前还剩 {available} 美元，此请求最多需要 {needed} 美元。",
    bare: "账户已达到消费上限。",
    remedy: "请等到上限重置、请管理员提高上限，或减少输出 token 上限。",
  },
  rate_limited: {
    message: "{whose}每分钟 {limit} {what}的上限已用完。",
    bare: "每分钟的上限已用完。",
    remedy: "请等待 {seconds} 秒，或在控制台提高上限。",
  },
  concurrency_limited: {
    message: "{whose}已有 {limit} 个请求在运行，达到并发上限。",
    bare: "正在运行的请求已达到并发上限。",
    remedy: "请等其中一个结束，或在控制台提高上限。",
  },
  wrong_base_url: {
    message: "{path} 处什么都没有：客户端的地址填错了。请改为 {baseUrl}。",
    bare: "客户端的地址填错了。",
    remedy: "请把地址设为 {baseUrl}，其余路径由客户端自己添加。",
  },
  not_found: {
    message: "{path} 处什么都没有。",
    bare: "这个路径不存在。",
    remedy: "OpenAI 式客户端请用 {openaiUrl}，Messages 式客户端请用 {messagesUrl}。",
  },
  request_invalid: {
    message: "请求无效：{problem}。",
    bare: "请求无效。",
    remedy: "请修正请求后重新发送。",
  },
  body_too_large: {
    message: "请求体超过 {limit} MiB。",
    bare: "请求体过大。",
    remedy: "请减少内容：缩短对话，或缩小其中的图片和文件。",
  },
  unsupported_media_type: {
    message: "不支持这种请求体：{found}。",
    bare: "不支持这种请求体。",
    remedy: "请发送 JSON（或该路径接受的表单），带上 content-type，不要带 content-encoding。",
  },
  upstream_failed: {
    message: "提供“{model}”的上游未能回答此请求。",
    bare: "上游未能回答此请求。",
    remedy: TELL_OPERATOR,
  },
  upstream_timeout: {
    message: "提供“{model}”的上游没有及时回答。",
    bare: "上游没有及时回答。",
    remedy: TELL_OPERATOR,
  },
  upstream_overloaded: {
    message: "提供“{model}”的上游过载。",
    bare: "上游过载。",
    remedy: WAIT,
  },
  no_upstream: {
    message: "目前没有上游提供“{model}”。",
    bare: "目前没有上游提供这个模型。",
    remedy: "请在 {seconds} 秒后重试或换一个模型；管理员可以为它接入上游。",
  },
  store_unavailable: { message: "网关连不上数据库，暂不接受请求。", remedy: WAIT },
  gateway_failed: { message: "网关处理此请求时出错，问题在网关自身。", remedy: TELL_OPERATOR },
  gateway_overloaded: {
    message: "网关已有 {limit} 个请求在运行，达到上限。",
    bare: "网关正在运行的请求已达到上限。",
    remedy: WAIT,
  },
  draining: { message: "这个网关进程正在关闭，不再接受新请求。", remedy: WAIT },
};
