import { z } from "zod";
import { isEmail } from "../domain/account.ts";
import { UPSTREAM_KINDS } from "../domain/catalogue.ts";
import { checkCustomKey } from "../domain/custom-key.ts";
import { PERIODS } from "../domain/spend-window.ts";
import { checkUpstreamAddress } from "./apply-address.ts";
import {
  choiceField,
  countLimitField,
  flagField,
  momentField,
  multiplierField,
  pricePerMillionField,
  probeField,
  spendLimitField,
  textField,
  usdField,
  wholeField,
} from "./apply-fields.ts";
import { NumberText } from "./apply-yaml.ts";
import { nameProblem } from "./keys.ts";

/** The apply file, field by field. What is not in here is refused. */

const NAME_CHARACTERS_MAX = 100;
const MODEL_CHARACTERS_MAX = 200;
const DESCRIPTION_CHARACTERS_MAX = 500;
const CREDENTIAL_CHARACTERS_MAX = 8192;
const CREDENTIALS_MAX = 100;
const PROBE_MINUTES_MAX = 1_440;
const COUNT_MAX = 1_000_000_000;

const name = textField(text => {
  if (text.trim() !== text || text === "") return "must not be empty, or begin or end with white space";
  if (/\p{Cc}/u.test(text)) return "must not have control characters or line breaks";
  return text.length > NAME_CHARACTERS_MAX ? `must have at most ${NAME_CHARACTERS_MAX} characters` : null;
});

const modelText = (text: string) => {
  if (text === "" || text.length > MODEL_CHARACTERS_MAX)
    return `must have 1 to ${MODEL_CHARACTERS_MAX} characters`;
  return /[\s\p{Cc}]/u.test(text) ? "must not have white space" : null;
};
const modelName = textField(text => {
  return text.includes("*") ? "must be a whole name: * belongs into the models of a group" : modelText(text);
});

const email = textField(text => (isEmail(text) ? null : "must be an e-mail address such as ann@example.org"));

function list<T extends z.ZodType>(item: T) {
  return z.array(item, { error: issue => (issue.input === undefined ? "is missing" : "must be a list") });
}

function object<T extends z.ZodRawShape>(shape: T) {
  const error = (issue: { code?: string | undefined }) =>
    issue.code === "unrecognized_keys" ? undefined : "must have fields";
  // A number is kept as an object of ours, which must not pass for one with fields.
  return z.preprocess(
    input => (input instanceof NumberText ? input.text : input),
    z.strictObject(shape, { error }),
  );
}

/** A map of public name to upstream name, or a list where the two are equal; either way a list of pairs. */
const modelPairs = z.unknown().transform((input, context): [string, string][] => {
  const refuse = (path: (string | number)[], message: string) =>
    void context.addIssue({ code: "custom", path, message });
  if (typeof input !== "object" || input === null) {
    refuse(
      [],
      input === undefined ? "is missing" : "must be a list of models, or a map of public name: upstream name",
    );
    return z.NEVER;
  }
  const isList = Array.isArray(input);
  const pairs: [string, string][] = [];
  for (const [key, value] of Object.entries(input)) {
    const place = isList ? Number(key) : key;
    const known = modelName.safeParse(value);
    if (!known.success) refuse([place], known.error.issues[0]?.message ?? "is wrong");
    else if (isList && pairs.some(([other]) => other === known.data)) refuse([place], "names a model twice");
    else pairs.push([isList ? known.data : key, known.data]);
    const problem = isList ? null : modelText(key);
    if (problem !== null) refuse([place], `has a name that is wrong: it ${problem}`);
  }
  return pairs;
});

const DIALECTS = ["chat", "responses", "messages"] as const;

const speaks = list(choiceField(...DIALECTS)).refine(
  given => given.length > 0 && new Set(given).size === given.length,
  { error: `must name at least one of ${DIALECTS.join(", ")}, none of them twice` },
);

const baseUrl = textField(text => {
  const checked = checkUpstreamAddress(text);
  return "problem" in checked ? checked.problem : null;
}).transform(text => {
  const checked = checkUpstreamAddress(text);
  return "address" in checked ? checked.address : text;
});

export const credentialField = textField(text => {
  if (!/^[\x21-\x7e]+$/.test(text)) return "must be one run of plain ASCII characters, without white space";
  return text.length > CREDENTIAL_CHARACTERS_MAX
    ? `must have at most ${CREDENTIAL_CHARACTERS_MAX} characters`
    : null;
});

const credentials = list(credentialField).superRefine((given, context) => {
  if (given.length === 0 || given.length > CREDENTIALS_MAX) {
    context.addIssue({ code: "custom", message: `must have 1 to ${CREDENTIALS_MAX} keys` });
  }
  for (const [at, one] of given.entries()) {
    if (given.indexOf(one) === at) continue;
    context.addIssue({ code: "custom", path: [at], message: "is in this list already" });
  }
});

const customKey = textField(text => {
  const checked = checkCustomKey(text);
  return checked.ok ? null : `cannot be used: ${checked.problem}`;
});

const keyName = textField(text => {
  const problem = nameProblem(text);
  return problem === null ? null : `cannot be used: ${problem.replace(/\.$/, "")}`;
});

export const upstreamFields = {
  name,
  kind: choiceField(...UPSTREAM_KINDS),
  base_url: baseUrl.optional(),
  speaks: speaks.optional(),
  api_key: credentialField.optional(),
  api_keys: credentials.optional(),
  priority: wholeField({ min: 0, max: 1_000_000 }).optional(),
  weight: wholeField({ min: 1, max: 1_000_000 }).optional(),
  max_concurrency: wholeField({ min: 1, max: 1_000_000 }).optional(),
  probe: probeField({ minutesMax: PROBE_MINUTES_MAX }).optional(),
  paused: flagField.optional(),
  cost: multiplierField.optional(),
  models: modelPairs,
};

const tokenPriceFields = {
  input: pricePerMillionField.optional(),
  output: pricePerMillionField.optional(),
  cache_read: pricePerMillionField.optional(),
  cache_write_5m: pricePerMillionField.optional(),
  cache_write_1h: pricePerMillionField.optional(),
};

export const tierFields = { above: wholeField({ min: 1, max: COUNT_MAX }), ...tokenPriceFields };

const tier = object(tierFields).refine(fields => Object.keys(fields).length > 1, {
  error: "changes no price: write at least one beside “above”",
});

const tiers = list(tier).superRefine((given, context) => {
  for (const [at, { above }] of given.entries()) {
    const before = given[at - 1]?.above ?? 0;
    if (above > before) continue;
    const message = `must be more than the ${before} of the tier before it`;
    context.addIssue({ code: "custom", path: [at, "above"], message });
  }
});

export const priceFields = { ...tokenPriceFields, request: usdField.optional(), tiers: tiers.optional() };

const price = object(priceFields)
  .refine(fields => Object.keys(fields).length > 0, {
    error: "is empty: write at least one field, 0 where the model is free",
  })
  .refine(fields => Object.keys(fields).some(name => name !== "tiers") || fields.tiers === undefined, {
    error: "has tiers alone: write at least one price below them, 0 where the model is free there",
  });

export const limitFields = {
  requests_per_minute: countLimitField({ max: COUNT_MAX }).optional(),
  tokens_per_minute: countLimitField({ max: COUNT_MAX }).optional(),
  concurrency: countLimitField({ max: COUNT_MAX }).optional(),
  spend_per_day: spendLimitField.optional(),
  spend_per_week: spendLimitField.optional(),
  spend_per_month: spendLimitField.optional(),
};

const limits = object(limitFields);

export const modelFields = {
  name: modelName,
  context_tokens: wholeField({ min: 1, max: COUNT_MAX }).optional(),
  max_output_tokens: wholeField({ min: 1, max: COUNT_MAX }).optional(),
  price: price.optional(),
};

const description = textField(text => {
  if (/[^\P{Cc}\n]/u.test(text)) return "must not have control characters";
  return text.length > DESCRIPTION_CHARACTERS_MAX
    ? `must have at most ${DESCRIPTION_CHARACTERS_MAX} characters`
    : null;
});

/** Who may use a group: `all`, or a list of accounts. */
const accountChoice = z.unknown().transform((input, context): "all" | string[] => {
  if (input === "all") return "all";
  const read = list(email).safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const path = issue?.path.map(part => (typeof part === "symbol" ? String(part) : part)) ?? [];
  const message = path.length === 0 ? "must be all, or a list of accounts" : (issue?.message ?? "is wrong");
  context.addIssue({ code: "custom", path, message });
  return z.NEVER;
});

export const groupFields = {
  name,
  enabled: flagField.optional(),
  multiplier: multiplierField.optional(),
  models: list(textField(modelText)),
  billing: choiceField("balance", "subscription", "subscription-first").optional(),
  limits: limits.optional(),
  description: description.optional(),
  accounts: accountChoice.optional(),
};

export const planFields = {
  name,
  groups: list(name),
  quota: usdField,
  window: choiceField(...PERIODS),
};

export const subscriptionFields = { plan: name, until: momentField.optional() };

const subscriptions = list(object(subscriptionFields)).superRefine((given, context) => {
  for (const [at, { plan }] of given.entries()) {
    if (given.findIndex(other => other.plan === plan) === at) continue;
    context.addIssue({ code: "custom", path: [at, "plan"], message: "is named in this list already" });
  }
});

export const accountFields = {
  email,
  role: choiceField("holder", "operator").optional(),
  balance: usdField.optional(),
  limits: limits.optional(),
  subscriptions: subscriptions.optional(),
};

export const keyFields = {
  account: email,
  name: keyName,
  group: name,
  quota: usdField.optional(),
  ...limitFields,
  expires_at: momentField.optional(),
  key: customKey.optional(),
};

/** A section with nothing below it is an empty one. */
function section<T extends z.ZodRawShape>(fields: T) {
  return list(object(fields)).nullish();
}

export const sectionFields = {
  upstreams: section(upstreamFields),
  models: section(modelFields),
  groups: section(groupFields),
  plans: section(planFields),
  accounts: section(accountFields),
  keys: section(keyFields),
};

export const applySchema = z.strictObject(sectionFields, {
  error: issue =>
    issue.code === "unrecognized_keys"
      ? undefined
      : `must have sections: ${Object.keys(sectionFields).join(", ")}`,
});

export type ApplyDocument = z.output<typeof applySchema>;
