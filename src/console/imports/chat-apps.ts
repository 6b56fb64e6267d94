import { type ImportLink, type ImportScene, packedJson } from "./import-scene.ts";

/** Desktop programs that take a connection by a link of their own. */

/** It adds /v1 to the address by itself. */
export function cherryStudioLink({ root, string, title, slug, words }: ImportScene): ImportLink {
  const data = packedJson({ id: slug, name: title, type: "openai", baseUrl: root, apiKey: string });
  return {
    app: "cherry-studio",
    name: "Cherry Studio",
    url: `cherrystudio://providers/api-keys?v=1&data=${encodeURIComponent(data)}`,
    note: words.asksFirst("Cherry Studio"),
  };
}

export function chatboxLink({ root, string, title, slug, models, words }: ImportScene): ImportLink {
  const config = packedJson({
    id: slug,
    name: title,
    type: "openai",
    isCustom: true,
    urls: { website: root },
    settings: {
      apiHost: `${root}/v1`,
      apiKey: string,
      models: models.map(({ name, contextTokens }) => ({
        modelId: name,
        type: "chat",
        ...(contextTokens === null ? {} : { contextWindow: contextTokens }),
      })),
    },
  });
  return {
    app: "chatbox",
    name: "Chatbox",
    url: `chatbox://provider/import?config=${encodeURIComponent(config)}`,
    note: words.asksFirst("Chatbox"),
  };
}

export function deepChatLink({ root, string, title, words }: ImportScene): ImportLink {
  const payload = { name: title, type: "openai-completions", baseUrl: `${root}/v1`, apiKey: string };
  return {
    app: "deepchat",
    name: "DeepChat",
    url: `deepchat://provider/install?v=1&data=${encodeURIComponent(packedJson(payload))}`,
    note: words.asksFirst("DeepChat"),
  };
}

export function aionUiLink({ root, string, title, words }: ImportScene): ImportLink {
  const payload = { name: title, baseUrl: `${root}/v1`, apiKey: string };
  return {
    app: "aionui",
    name: "AionUI",
    url: `aionui://provider/add?v=1&data=${encodeURIComponent(packedJson(payload))}`,
    note: words.asksFirst("AionUI"),
  };
}
