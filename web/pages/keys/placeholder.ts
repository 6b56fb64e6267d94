/** Stands where the key's string belongs, in words that the gateway itself knows for a placeholder. */
export const PLACEHOLDER = "YOUR_WICKETGATE_KEY";

const SLOT = "{{key}}";

export function filledWith(text: string, string: string | null): string {
  return text.replaceAll(SLOT, () => string ?? PLACEHOLDER);
}
