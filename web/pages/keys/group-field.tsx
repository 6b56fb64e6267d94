import { formatMoneyShort, formatPrice } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { type Card, RadioCards } from "../../parts/radio-cards.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Group } from "./draft.ts";
import type { FormSay } from "./draft-problems.ts";
import { formWords } from "./form-words.ts";
import { GroupPrices } from "./group-prices.tsx";

type Props = {
  value: string | null;
  onChange: (group: string) => void;
  /** Undefined while they are not there yet. */
  groups: readonly Group[] | undefined;
  error: string | undefined;
};

export function GroupField({ value, onChange, groups, error }: Props) {
  const say = useWords(formWords);
  const chosen = groups?.find(({ id }) => id === value);
  return (
    <Field label={say("group")} hint={say("groupHint")} group required error={error}>
      {groups === undefined ? (
        <div className="grid gap-2">
          <Skeleton className="h-[68px] w-full rounded-lg" />
          <Skeleton className="h-[68px] w-full rounded-lg" />
        </div>
      ) : groups.length === 0 ? (
        <Banner tone="warn">{say("groupNone")}</Banner>
      ) : (
        <RadioCards value={value} onChange={onChange} cards={groups.map(group => cardOf(group, say))} />
      )}
      {chosen === undefined || chosen.models.length === 0 ? null : <GroupPrices group={chosen} />}
    </Field>
  );
}

function cardOf(group: Group, say: FormSay): Card<string> {
  return {
    value: group.id,
    disabled: !group.enabled,
    title: (
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-semibold">{group.name}</span>
        <Tag>{`×${group.multiplier}`}</Tag>
        {group.enabled ? null : <Tag>{say("groupOff")}</Tag>}
      </span>
    ),
    detail: (
      <>
        {group.description === "" ? null : (
          <span dir="auto" className="block text-ink">
            {group.description}
          </span>
        )}
        <span className="block">{modelsText(group, say)}</span>
        <span className="block">{paidText(group, say)}</span>
      </>
    ),
  };
}

/** The one whose price tells most, as far as its name can tell. */
const TELLING = [/claude.*sonnet/i, /^gpt-[\d.]+$/i, /gemini.*pro/i];

function tellingModel(models: Group["models"]): Group["models"][number] | undefined {
  const found = TELLING.map(pattern => models.find(({ name }) => pattern.test(name)));
  return found.find(model => model !== undefined) ?? models[0];
}

function modelsText({ models }: Group, say: FormSay): string {
  const first = tellingModel(models);
  if (first === undefined) return say("noModels");
  const { name: model, price } = first;
  const [input, output] = [price.input, price.output].map(usd => formatPrice(usd, say.language));
  const count = say("modelCount", { count: models.length });
  const comma = say.language === "zh" ? "，" : ", ";
  return `${count}${comma}${say("priceFrom", { model, input: input ?? "", output: output ?? "" })}`;
}

export function paidText({ pockets }: Pick<Group, "pockets">, say: FormSay): string {
  const money = (usd: string) => formatMoneyShort(usd, say.language, 2);
  const balance = pockets.find(({ kind }) => kind === "balance");
  const plan = pockets.find(({ kind }) => kind === "subscription");
  if (plan !== undefined && balance !== undefined) {
    const left = money(plan.left_usd);
    return say("paidPlanThenBalance", { plan: plan.name, left, balance: money(balance.left_usd) });
  }
  if (plan !== undefined) return say("paidPlan", { plan: plan.name, left: money(plan.left_usd) });
  return balance === undefined ? say("paidNone") : say("paidBalance", { left: money(balance.left_usd) });
}
