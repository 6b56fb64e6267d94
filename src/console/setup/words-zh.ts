import type { Words } from "./words.ts";

export const chinese: Words = {
  apiHost: "API 地址",
  apiKey: "API 密钥",
  apiMode: "API 模式",
  model: "模型",
  providerType: "服务商类型",
  proxyUrl: "API 代理地址",

  code: "程序",
  install: "安装库",
  keyInEnvironment: "把密钥放进环境变量",
  fileOrMerge: "写入此文件；如果文件已存在，请把这些内容合并进去",
  orForGood: "或写入设置文件，长期生效",
  shellAndStart: "在终端中运行",
  shellThenStart: command => `在终端中运行，然后启动 ${command}`,

  claudeVsCode: "VS Code 扩展的设置",
  claudeOtherKey:
    "如果同时设置了 ANTHROPIC_API_KEY，Claude Code 会把两个密钥都发出去。请将它移除，以免请求用到其他账户的密钥。",
  claudeSettingsWin:
    "~/.claude/settings.json 中的值优先于终端里的变量。如果请求发到了别的地址，请先检查该文件。",
  claudeAliases:
    "四个 DEFAULT 变量决定 opus、sonnet、haiku、fable 这几个别名在这里对应的模型，后台小任务也会用到。",
  claudeForeignModel: "遇到不认识的模型时 Claude Code 会给出警告，不影响使用。",

  codexFile: "在配置文件中添加服务商",
  codexBaseUrlIgnored:
    "Codex 不读取 OPENAI_BASE_URL。如果缺少 model_provider 这一行，请求会直接发往 OpenAI，用的是那里已登录的账户。",
  codexTopOfFile: "如果文件已存在，前两行要放在文件开头，位于任何方括号行之前。",
  codexMetadata: "对不认识的模型，Codex 会提示“Model metadata not found”，不影响使用。",

  opencodeOtherProviders:
    "通过“opencode auth login”输入的密钥对各自的模型仍然有效。只有 wicketgate/ 下的模型才由这个密钥付费。",
  opencodeProject: "如果只用于某个项目，把同样的文件以 opencode.json 的名字放进项目目录。",

  openaiVariables: command =>
    `其他程序也会读取 OPENAI_API_KEY，并可能把这个密钥发给 OpenAI。请只在启动 ${command} 的终端里设置它。`,
  noGemini: "Gemini CLI 使用 Google 自己的协议，这里不提供。Qwen Code 由它衍生而来，用法相同。",
  aiderPrefix: "模型名前的 openai/ 表示使用哪种协议，不属于模型名本身。",

  continueFile: "在配置文件中添加模型",
  continueOtherModels:
    "文件中的其他模型仍使用各自的密钥。请在 Continue 的列表里选中这个模型，否则请求会走其他账户。",
  zedFile: "在 Zed 设置中添加服务商（zed: open settings）",
  zedKey: "从此终端启动 Zed 之前，先设置密钥",
  zedOwnProvider: "这是一个独立的服务商：列在 OpenAI 或 Anthropic 下的模型仍使用那些账户。",
  zedKeychain: "也可以不用变量，在智能体面板的设置里输入密钥，Zed 会把它存进系统钥匙串。",

  cursorWhere: "设置 → Models → API Keys",
  cursorGlobal:
    "该地址对 Cursor 中所有 OpenAI 模型生效：开启期间它们都不会使用你的 OpenAI 账户。关闭该地址时请同时删掉这个密钥，否则它会被发给 OpenAI。",
  cursorNeedsPublic: root =>
    `请求由 Cursor 的服务器发出，因此地址必须能通过 https 从公网访问，而 ${root} 不能。`,
  cursorTab: "输入时的补全（Tab）由 Cursor 自己提供，不会经过这里。",
  clineWhere: "Cline 设置 → API Configuration",
  clineModes: "Plan 和 Act 可以使用不同的服务商。请两处都检查，否则其中一个仍会使用其他账户。",
  clineAnthropic: root =>
    `使用 Claude 模型时，也可以选择服务商 Anthropic，并在“Use custom base URL”中填入 ${root}。`,

  ownProvider: "请新建一个服务商，不要改动已存有其他密钥的服务商。",
  cherryWhere: "设置 → 模型服务 → 添加",
  cherryAddsV1: "Cherry Studio 会自动在地址后加上 /v1。",
  openWebUiWhere: "管理员面板 → 设置 → 外部连接 → OpenAI API → 添加",
  openWebUiServer: "或在启动服务器时设置环境变量",
  openWebUiOrder:
    "有多个地址时，两个列表都用分号分隔，密钥的顺序要与地址一致。顺序错了，密钥就会发给别的服务商。",
  openWebUiContainer: "在容器里，localhost 指容器自身：请填写从容器内能访问到的网关地址。",
  lobeWhere: "设置 → AI 服务商 → OpenAI",
  lobeServer: "或在启动服务器时设置环境变量",
  lobeReplacesOpenAi: "它会取代那里的 OpenAI 密钥：在此期间不会使用你自己的 OpenAI 账户。",
  chatboxWhere: "设置 → 模型提供方 → 添加",

  curlTitle: {
    chat: "Chat Completions（OpenAI 风格）",
    responses: "Responses（OpenAI 风格）",
    messages: "Messages（Anthropic 风格）",
  },
  curlHistory: "密钥会留在终端的历史记录里。除了临时试用，请把它放进变量。",

  sdkBaseUrl: maker => `如果不写 base URL，库会直接调用 ${maker}，这个密钥也会被发到那里。`,
  sdkAlsoResponses: "同一个 client 也可以使用 client.responses.create。",
  anthropicVariables: "如果环境中设置了 ANTHROPIC_AUTH_TOKEN，库会把它一并发出。请将它移除。",
};
