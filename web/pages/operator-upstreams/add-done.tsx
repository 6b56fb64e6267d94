import { useApi } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { addWords } from "./add-words.ts";
import { TestResult } from "./test-call.tsx";
import type { Upstream } from "./upstream-reads.ts";
import type { Adding } from "./use-adding.ts";

/** What came of it: the test call's answer, and what is still missing before somebody can use it. */
export function AddDone({ adding }: { adding: Adding }) {
  const say = useWords(addWords);
  const { made, test } = adding;
  if (made === null) return null;
  return (
    <>
      <p>
        <b className="font-semibold">{say("connected", { name: made.name })}</b>{" "}
        {say("connectedText", { count: made.models.length })}
      </p>
      <TestResult name={made.name} test={test} />
      <WhatIsMissing made={made} />
    </>
  );
}

function WhatIsMissing({ made }: { made: Upstream }) {
  const say = useWords(addWords);
  const models = useApi("GET /operator/models").data?.models;
  const groups = useApi("GET /operator/groups").data?.groups;
  if (models === undefined || groups === undefined) return null;
  const own = new Set(made.models.map(({ model }) => model));
  const unpriced = models.filter(({ name, price }) => own.has(name) && price === null);
  const offering = groups.filter(({ matches }) => matches.some(name => own.has(name)));
  return (
    <>
      {unpriced.length === 0 ? null : (
        <Banner
          tone="warn"
          action={
            <LinkButton size="sm" to="/operator/models" search={{ only: "unpriced" }}>
              {say("setPrices")}
            </LinkButton>
          }
        >
          {say("unpriced", { count: unpriced.length })}
        </Banner>
      )}
      {offering.length === 0 ? (
        <Banner
          tone="info"
          title={say("notOffered")}
          action={
            <LinkButton size="sm" to="/operator/groups" search={{ show: "create" }}>
              {say("makeGroup")}
            </LinkButton>
          }
        >
          {say("notOfferedText")}
        </Banner>
      ) : (
        <p className="text-ink-2">
          {say("offered", { groups: offering.map(({ name }) => name).join(", ") })}
        </p>
      )}
    </>
  );
}
