import { Pill, type PillTone } from "../../parts/pill.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Delivery, Webhook } from "./webhook.ts";
import { words } from "./words.ts";

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const say = useWords(words);
  const isFailing = webhook.failing_since !== null;
  if (!webhook.enabled && isFailing) return <Pill tone="bad">{say("switchedOff")}</Pill>;
  if (!webhook.enabled) return <Pill tone="quiet">{say("paused")}</Pill>;
  if (isFailing) return <Pill tone="warn">{say("failing")}</Pill>;
  return <Pill tone="ok">{say("on")}</Pill>;
}

const TONES: Record<Delivery["state"], PillTone> = { waiting: "warn", delivered: "ok", given_up: "bad" };

export function DeliveryState({ state }: { state: Delivery["state"] }) {
  const say = useWords(words);
  return <Pill tone={TONES[state]}>{say(state)}</Pill>;
}
