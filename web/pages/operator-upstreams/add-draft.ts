import type { Body } from "../../api/client.ts";
import { pairsOf } from "./model-lines.ts";
import type { Found, Preset } from "./upstream-reads.ts";

/** What a new upstream is asked for by; the models come after. */
export type Access = { name: string; address: string; key: string };

/** The price of a chosen model as typed, USD per million tokens. */
export type Price = { input: string; output: string };

/** By the name that the upstream knows. */
export type Chosen = ReadonlyMap<string, Price>;

type Connect = NonNullable<Body<"POST /operator/upstreams">>;
type Model = Connect["models"][number];

/** So many are all wanted, most likely; of more somebody has to choose. */
const CHOSEN_FIRST_MAX = 12;

export function freeName(wanted: string, taken: readonly string[]): string {
  const isTaken = (name: string) => taken.includes(name);
  if (!isTaken(wanted)) return wanted;
  let number = 2;
  while (isTaken(`${wanted} ${number}`)) number += 1;
  return `${wanted} ${number}`;
}

export function accessOf(preset: Preset, taken: readonly string[]): Access {
  return { name: freeName(shortName(preset), taken), address: preset.base_url ?? "", key: "" };
}

/** The general ones have a sentence for a name. */
function shortName({ kind, name }: Preset): string {
  return kind.endsWith("-compatible") ? kind.replace("-compatible", "") : name;
}

export function priceOf({ price }: Pick<Found, "price">): Price {
  return { input: price?.input ?? "", output: price?.output ?? "" };
}

export function chosenAtFirst(found: readonly Found[]): Map<string, Price> {
  const all = found.length <= CHOSEN_FIRST_MAX ? found : [];
  return new Map(all.map(one => [one.upstream_model, priceOf(one)]));
}

const AMOUNT = /^(\d+(\.\d{0,16})?|\.\d{1,16})$/;

function amountOf(text: string): string | null {
  if (!AMOUNT.test(text)) return null;
  return text.replace(/\.$/, "").replace(/^\./, "0.");
}

/** Null where it is left open; undefined where it is no price. */
export function wholePrice(
  found: Found,
  { input, output }: Price,
): NonNullable<Model["price"]> | null | undefined {
  if (input === "" && output === "") return null;
  const [ins, outs] = [amountOf(input), amountOf(output)];
  if (ins === null || outs === null) return undefined;
  const { price } = found;
  if (price !== null && price.input === ins && price.output === outs) return price;
  // What is cached costs as the suggestion has it, or like any other input.
  const cached = price !== null && price.input === ins ? price : null;
  return {
    ...{ input: ins, output: outs, cache_read: cached?.cache_read ?? ins },
    cache_write_5m: cached?.cache_write_5m ?? ins,
    cache_write_1h: cached?.cache_write_1h ?? ins,
  };
}

export function modelsOf(found: readonly Found[], chosen: Chosen): Model[] {
  return found.flatMap(one => {
    const typed = chosen.get(one.upstream_model);
    if (typed === undefined) return [];
    const price = one.is_known ? null : wholePrice(one, typed);
    return [
      {
        ...{ model: one.model, upstream_model: one.upstream_model },
        ...(price === null || price === undefined ? {} : { price }),
        ...(one.context_tokens === null || one.is_known ? {} : { context_tokens: one.context_tokens }),
      },
    ];
  });
}

/** Chosen ones whose price cannot be read, or is not there. */
export function pricesOpen(found: readonly Found[], chosen: Chosen): { wrong: string[]; none: string[] } {
  const [wrong, none]: [string[], string[]] = [[], []];
  for (const one of found) {
    const typed = chosen.get(one.upstream_model);
    if (typed === undefined || one.is_known) continue;
    const price = wholePrice(one, typed);
    if (price === undefined) wrong.push(one.model);
    if (price === null) none.push(one.model);
  }
  return { wrong, none };
}

/** As it is asked for its models. */
export function lookBody(preset: Preset, { address, key }: Access) {
  const [url, secret] = [address.trim(), key.trim()];
  return {
    kind: preset.kind,
    ...(url === "" || url === preset.base_url ? {} : { base_url: url }),
    ...(secret === "" ? {} : { api_key: secret }),
  };
}

/** From a list, which is checked again; or from names typed by hand, which are taken as they are. */
export function connectBody(
  preset: Preset,
  access: Access,
  models: { list: Model[] } | { lines: string },
): Connect {
  return {
    ...lookBody(preset, access),
    name: access.name.trim(),
    ...("list" in models ? { models: models.list } : { models: pairsOf(models.lines), check: false }),
  };
}
