import type { Draft } from "./draft.ts";

/**
 * What was being typed when the session ended or the page was left, for the same account in the same tab. The string of
 * one's own choice is not kept: it is a secret.
 */
let kept: { account: string; draft: Draft } | null = null;

export function keepDraft(account: string, draft: Draft | null): void {
  kept = draft === null ? null : { account, draft: { ...draft, isCustom: false, custom: "" } };
}

export function keptDraft(account: string): Draft | null {
  return kept?.account === account ? kept.draft : null;
}
