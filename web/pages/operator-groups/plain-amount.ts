/** An amount as somebody would type it: `2.50` is 2.5, `50.00` is 50. */
export function plainAmount(usd: string): string {
  return usd.includes(".") ? usd.replace(/0+$/, "").replace(/\.$/, "") : usd;
}
