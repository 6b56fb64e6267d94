export const english = {
  apiHost: "API host",
  apiKey: "API key",
  apiMode: "API mode",
  model: "Model",
  providerType: "Provider type",
  proxyUrl: "API proxy URL",

  code: "The program",
  install: "Install the library",
  keyInEnvironment: "The key, in the environment",
  fileOrMerge: "This file; where you have one already, add these parts to it",
  orForGood: "Or for good, in the settings file",
  shellAndStart: "Run this in the terminal",
  shellThenStart: (command: string) => `Run this in the terminal, then start ${command}`,

  claudeVsCode: "In VS Code, for its extension",
  claudeOtherKey:
    "If ANTHROPIC_API_KEY is set as well, Claude Code sends both keys. Remove it, so that no request is made with another account's key.",
  claudeSettingsWin:
    "What stands in ~/.claude/settings.json wins over the terminal. If another address answers, look there first.",
  claudeAliases:
    "The four DEFAULT variables are what “opus”, “sonnet”, “haiku” and “fable” mean here, also for small tasks in the background.",
  claudeForeignModel: "Claude Code warns about a model that it does not know. That is harmless.",

  codexFile: "The provider, in the configuration file",
  codexBaseUrlIgnored:
    "Codex does not read OPENAI_BASE_URL. Without the line model_provider it talks to OpenAI, with whatever account is signed in there.",
  codexTopOfFile:
    "If the file exists, the first two lines belong to its top, before any line in square brackets.",
  codexMetadata: "“Model metadata not found” for a model that Codex does not know is harmless.",

  opencodeOtherProviders:
    "Keys entered by “opencode auth login” stay in force for their own models. Only models under wicketgate/ are paid by this key.",
  opencodeProject: "For one project alone, put the same file into the project as opencode.json.",

  openaiVariables: (command: string) =>
    `Other programs read OPENAI_API_KEY, too, and would send this key to OpenAI. Set it only in the terminal where you start ${command}.`,
  noGemini:
    "Gemini CLI speaks a dialect of Google's own, which is not served here. Qwen Code comes from it and works in the same way.",
  aiderPrefix: "The openai/ before the model's name says which dialect to speak; it is not part of the name.",

  continueFile: "The model, in the configuration file",
  continueOtherModels:
    "Other models of this file keep their own keys. Choose this one in Continue's list, or requests go to another account.",
  zedFile: "The provider, in Zed's settings (zed: open settings)",
  zedKey: "The key, before you start Zed from this terminal",
  zedOwnProvider:
    "This is a provider of its own: models listed under OpenAI or Anthropic still use those accounts.",
  zedKeychain:
    "Instead of the variable you can enter the key in the agent panel's settings; Zed puts it into the keychain.",

  cursorWhere: "Settings → Models → API Keys",
  cursorGlobal:
    "The address holds for every OpenAI model in Cursor. While it is on, none of them uses your OpenAI account, and this key must not be left there with the address off: it would be sent to OpenAI.",
  cursorNeedsPublic: (root: string) =>
    `Cursor's own servers make the calls, so the address must be reachable from the internet by https. ${root} is not.`,
  cursorTab: "Completions while typing (Tab) are Cursor's own and do not come here.",
  clineWhere: "Cline's settings → API Configuration",
  clineModes:
    "Plan and Act can have different providers. Check both, or one of them still uses another account.",
  clineAnthropic: (root: string) =>
    `For Claude models you can choose the provider Anthropic with “Use custom base URL” ${root} instead.`,

  ownProvider: "Add a provider of its own rather than changing one that holds another key.",
  cherryWhere: "Settings → Model Provider → Add",
  cherryAddsV1: "Cherry Studio adds /v1 to the address by itself.",
  openWebUiWhere: "Admin Panel → Settings → Connections → OpenAI API → Add",
  openWebUiServer: "Or where the server is started, as environment variables",
  openWebUiOrder:
    "With several addresses both lists are parted by semicolons, and keys stand in the order of the addresses. A wrong order sends a key to another provider.",
  openWebUiContainer:
    "In a container, localhost is the container itself: use an address of this gateway that is reachable from there.",
  lobeWhere: "Settings → AI Service Provider → OpenAI",
  lobeServer: "Or where the server is started, as environment variables",
  lobeReplacesOpenAi:
    "This takes the place of the OpenAI key there: an account of your own at OpenAI is not used meanwhile.",
  chatboxWhere: "Settings → Model Provider → Add",

  curlTitle: {
    chat: "Chat completions (OpenAI style)",
    responses: "Responses (OpenAI style)",
    messages: "Messages (Anthropic style)",
  },
  curlHistory: "The key stays in the history of the terminal. For more than a try, keep it in a variable.",

  sdkBaseUrl: (maker: string) =>
    `Without the base URL the library calls ${maker} itself, and this key would be sent there.`,
  sdkAlsoResponses: "client.responses.create works with the same client.",
  anthropicVariables:
    "If ANTHROPIC_AUTH_TOKEN is set in the environment, the library sends it, too. Remove it.",
};
