import { pickModel } from "../setup/pick-model.ts";
import { ANY, CLAUDE, GPT } from "../setup/scene.ts";
import { type ImportLink, type ImportScene, modelFor } from "./import-scene.ts";

type App = {
  id: string;
  name: string;
  /** Claude Code adds /v1 itself; what CC Switch writes for the others needs it. */
  withV1: boolean;
  wishes: readonly RegExp[];
};

/** Gemini is not among them, because its dialect is not served. */
const APPS: readonly App[] = [
  { id: "claude", name: "Claude Code", withV1: false, wishes: CLAUDE },
  { id: "codex", name: "Codex", withV1: true, wishes: GPT },
  { id: "opencode", name: "OpenCode", withV1: true, wishes: ANY },
  { id: "openclaw", name: "OpenClaw", withV1: true, wishes: ANY },
  { id: "hermes", name: "Hermes", withV1: true, wishes: ANY },
  { id: "grokbuild", name: "Grok Build", withV1: true, wishes: [/grok/i, ...GPT] },
];

const USAGE_MINUTES = 30;

/** What is left is the least of the key's own quota and what its pockets have together. */
const USAGE_SCRIPT = `({
  request: {
    url: "{{baseUrl}}/v1/key",
    method: "GET",
    headers: { "Authorization": "Bearer {{apiKey}}" }
  },
  extractor: function (key) {
    var left = 0;
    key.pockets.subscriptions.forEach(function (one) { left += Number(one.left_usd); });
    if (key.pockets.billing !== "subscription") left += Number(key.pockets.balance.left_usd);
    if (key.pockets.key_quota !== null) left = Math.min(left, Number(key.pockets.key_quota.left_usd));
    var result = {
      isValid: key.state === "active",
      remaining: left,
      used: Number(key.spent_usd),
      unit: "USD",
      planName: key.group.name
    };
    if (key.state !== "active") result.invalidMessage = "This key is " + key.state + ".";
    return result;
  }
})`;

export function ccSwitchLinks(scene: ImportScene): ImportLink[] {
  const { words } = scene;
  return APPS.map(app => ({
    app: `cc-switch-${app.id}`,
    name: `CC Switch · ${app.name}`,
    url: `ccswitch://v1/import?${parameters(app, scene)}`,
    note: `${words.ccSwitch} ${words.ccSwitchUsage}`,
  }));
}

function parameters(app: App, scene: ImportScene): URLSearchParams {
  const { root, string, title } = scene;
  const model = modelFor(scene, app.wishes);
  return new URLSearchParams({
    resource: "provider",
    app: app.id,
    name: title,
    // Otherwise it is guessed from the endpoint, without its port.
    homepage: root,
    endpoint: app.withV1 ? `${root}/v1` : root,
    apiKey: string,
    model,
    ...(app.id === "claude" ? aliases(scene, model) : {}),
    usageEnabled: "true",
    usageBaseUrl: root,
    usageScript: btoa(USAGE_SCRIPT),
    usageAutoInterval: String(USAGE_MINUTES),
  });
}

/** The names that Claude Code has for sizes of models have to mean something that the group has. */
function aliases({ models, model }: ImportScene, usual: string): Record<string, string> {
  const names = models.map(({ name }) => name);
  const alias = (wish: RegExp) => {
    const found = pickModel(names, [wish]);
    return found !== null && wish.test(found) ? found : (model ?? usual);
  };
  return {
    haikuModel: alias(/claude.*haiku/i),
    sonnetModel: alias(/claude.*sonnet/i),
    opusModel: alias(/claude.*opus/i),
  };
}
