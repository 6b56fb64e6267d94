import { fieldsPiece, KEY, type Piece } from "./piece.ts";
import { isPublicAddress } from "./public-address.ts";
import { ANY, type ClientText, type ClientWriter, type Scene } from "./scene.ts";

/** Clients whose settings are filled in by hand. */

type Filled = {
  about: Pick<ClientText, "id" | "name" | "kind">;
  /** Where most take the address with /v1, some take the root. */
  address: (scene: Scene) => string;
  pieces: (scene: Scene, address: string) => Piece[];
  warnings: (scene: Scene) => string[];
  notes: (scene: Scene) => string[];
};

function filled({ about, address, pieces, warnings, notes }: Filled): ClientWriter {
  return {
    wishes: ANY,
    write: scene => ({
      ...about,
      dialect: "chat",
      base_url: address(scene),
      pieces: pieces(scene, address(scene)),
      warnings: warnings(scene),
      notes: notes(scene),
    }),
  };
}

const withV1 = ({ v1 }: Scene) => v1;

export const cursor = filled({
  about: { id: "cursor", name: "Cursor", kind: "editor" },
  address: withV1,
  pieces: ({ words, model }, address) => [
    fieldsPiece(words.cursorWhere, [
      ["OpenAI API Key", KEY],
      ["Override OpenAI Base URL", address],
      ["Add Custom Model", model],
    ]),
  ],
  warnings: ({ words, root }) => [
    words.cursorGlobal,
    ...(isPublicAddress(root) ? [] : [words.cursorNeedsPublic(root)]),
  ],
  notes: ({ words }) => [words.cursorTab],
});

export const cline = filled({
  about: { id: "cline", name: "Cline", kind: "editor" },
  address: withV1,
  pieces: ({ words, model }, address) => [
    fieldsPiece(words.clineWhere, [
      ["API Provider", "OpenAI Compatible"],
      ["Base URL", address],
      ["API Key", KEY],
      ["Model ID", model],
    ]),
  ],
  warnings: ({ words }) => [words.clineModes],
  notes: ({ words, root }) => [words.clineAnthropic(root)],
});

export const cherryStudio = filled({
  about: { id: "cherry-studio", name: "Cherry Studio", kind: "app" },
  address: ({ root }) => root,
  pieces: ({ words, model }, address) => [
    fieldsPiece(words.cherryWhere, [
      [words.providerType, "OpenAI"],
      [words.apiKey, KEY],
      [words.apiHost, address],
      [words.model, model],
    ]),
  ],
  warnings: ({ words }) => [words.ownProvider],
  notes: ({ words }) => [words.cherryAddsV1],
});

export const openWebUi = filled({
  about: { id: "open-webui", name: "Open WebUI", kind: "app" },
  address: withV1,
  pieces: ({ words }, address) => [
    fieldsPiece(words.openWebUiWhere, [
      ["URL", address],
      [words.apiKey, KEY],
    ]),
    {
      ...{ title: words.openWebUiServer, shell: null, file: ".env", language: "text" },
      text: `OPENAI_API_BASE_URLS=${address}\nOPENAI_API_KEYS=${KEY}`,
    },
  ],
  warnings: ({ words }) => [words.openWebUiOrder],
  notes: ({ words, root }) => (isPublicAddress(root) ? [] : [words.openWebUiContainer]),
});

export const lobeChat = filled({
  about: { id: "lobechat", name: "LobeChat", kind: "app" },
  address: withV1,
  pieces: ({ words, model }, address) => [
    fieldsPiece(words.lobeWhere, [
      [words.apiKey, KEY],
      [words.proxyUrl, address],
      [words.model, model],
    ]),
    {
      ...{ title: words.lobeServer, shell: null, file: ".env", language: "text" },
      text: `OPENAI_API_KEY=${KEY}\nOPENAI_PROXY_URL=${address}`,
    },
  ],
  warnings: ({ words }) => [words.lobeReplacesOpenAi],
  notes: () => [],
});

export const chatbox = filled({
  about: { id: "chatbox", name: "Chatbox", kind: "app" },
  address: withV1,
  pieces: ({ words, model }, address) => [
    fieldsPiece(words.chatboxWhere, [
      [words.apiMode, "OpenAI API Compatible"],
      [words.apiKey, KEY],
      [words.apiHost, address],
      [words.model, model],
    ]),
  ],
  warnings: ({ words }) => [words.ownProvider],
  notes: () => [],
});
