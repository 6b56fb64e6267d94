import { ccSwitchLinks } from "./cc-switch.ts";
import { aionUiLink, chatboxLink, cherryStudioLink, deepChatLink } from "./chat-apps.ts";
import type { ImportLink, ImportScene } from "./import-scene.ts";

/**
 * Links by which a client sets itself up. Each holds the whole key, so they are made when somebody asks and kept
 * nowhere. Web apps are not among them: their links would carry the key to somebody else's server.
 */
export function importLinks(scene: ImportScene): ImportLink[] {
  return [
    ...ccSwitchLinks(scene),
    cherryStudioLink(scene),
    chatboxLink(scene),
    deepChatLink(scene),
    aionUiLink(scene),
  ];
}
