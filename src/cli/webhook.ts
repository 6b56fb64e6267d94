import { dropWebhook, makeWebhook, renewSecret, testWebhook } from "../console/webhooks.ts";
import { type Id, isId } from "../domain/ids.ts";
import { NOTICE_EVENTS, type NoticeEvent } from "../domain/notice.ts";
import type { WebhookListing } from "../store/webhooks.ts";
import { type Call, type Command, EXIT_FAILED, EXIT_OK, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { clock, withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

export const webhookCommands: readonly Command[] = [
  {
    name: "webhook add",
    summary: "tell an address of what happens, and show the secret that it is signed with, this once",
    positionals: ["URL"],
    options: {
      name: { value: "NAME", required: true, meaning: "what to call it: who is told" },
      events: {
        value: "EVENTS",
        meaning: "what it is told of, with commas between; without this, of everything",
      },
    },
    details: `Events: ${NOTICE_EVENTS.join(", ")}.
With --json it prints exactly {"id":"whk_…","secret":"whsec_…"}.`,
    run: add,
  },
  {
    name: "webhook list",
    summary: "list the webhooks, and whether what is sent to them arrives",
    positionals: [],
    options: {},
    run: list,
  },
  {
    name: "webhook secret",
    summary: "give a webhook a new signing secret, and show it, this once",
    positionals: ["ID"],
    options: {},
    details: `For a day messages are signed with the old one as well, so that the receiver can be changed meanwhile.
With --json it prints exactly {"id":"whk_…","secret":"whsec_…","old_secret_until":"…"}.`,
    run: renew,
  },
  {
    name: "webhook remove",
    summary: "remove a webhook with all that was sent to it",
    positionals: ["ID"],
    options: {},
    run: remove,
  },
  {
    name: "webhook test",
    summary: "send a test event to a webhook now",
    positionals: ["ID"],
    options: {},
    run: test,
  },
];

async function add(call: Call): Promise<number> {
  const form = { url: call.positionals[0] ?? "", name: call.need("name"), events: eventsOf(call) };
  const { webhook, secret } = await withSession(call, "refuse", ({ control, config }) =>
    makeWebhook(control, form, { privateHosts: config.privateUpstreams }),
  );
  if (call.json) {
    printJson(call, { id: webhook.id, secret });
    return EXIT_OK;
  }
  printLine(
    call,
    `The webhook “${webhook.name}” (${webhook.id}) is made, and told of ${webhook.events.join(", ")}.`,
  );
  printLine(call, "This is the only time that the secret is shown that its receiver checks signatures with:");
  printLine(call, "");
  printLine(call, `  ${call.paint.bold(secret)}`);
  return EXIT_OK;
}

function eventsOf(call: Call): NoticeEvent[] {
  const given = call.text("events");
  if (given === null) return [...NOTICE_EVENTS];
  return given.split(",").map(part => {
    const found = NOTICE_EVENTS.find(event => event === part.trim());
    if (found === undefined) throw new UsageProblem(`--events has only these: ${NOTICE_EVENTS.join(", ")}.`);
    return found;
  });
}

async function list(call: Call): Promise<number> {
  const webhooks = await withSession(call, "refuse", ({ store }) => store.report("webhooks", {}));
  if (call.json) printJson(call, webhooks.map(toJson));
  else if (webhooks.length === 0) {
    printLine(call, "There are no webhooks. Make one with: wicketgate webhook add URL --name NAME");
  } else {
    const titles = ["ID", "NAME", "URL", "EVENTS", "STATE", "LAST"];
    const rows = webhooks.map(one => [
      ...[one.id, one.name, one.url, one.events.join(" "), stateOf(one)],
      one.last === null ? "never" : `${one.last.state} ${timeText(one.last.atMs)}`,
    ]);
    const columns = titles.map(title => ({ title }));
    call.io.stdout(table(columns, rows, call.paint));
  }
  return EXIT_OK;
}

function stateOf({ enabled, failingSinceMs }: WebhookListing): string {
  if (failingSinceMs === null) return enabled ? "on" : "paused";
  return `${enabled ? "failing" : "switched off, failing"} since ${timeText(failingSinceMs)}`;
}

function toJson(webhook: WebhookListing) {
  const { id, name, url, events, enabled, createdAtMs, failingSinceMs, oldSecretUntilMs, last } = webhook;
  return {
    ...{ id, name, url, events, enabled, created_at: timeOf(createdAtMs) },
    failing_since: failingSinceMs === null ? null : timeOf(failingSinceMs),
    old_secret_until: oldSecretUntilMs === null ? null : timeOf(oldSecretUntilMs),
    last_delivery: last === null ? null : { at: timeOf(last.atMs), state: last.state, status: last.status },
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function renew(call: Call): Promise<number> {
  const id = idOf(call);
  const renewed = await withSession(call, "refuse", ({ control }) => renewSecret(control, id));
  if (renewed === null) throw new Failure(`There is no webhook ${id}.`);
  const { name, secret, oldSecretUntilMs: untilMs } = renewed;
  if (call.json) {
    printJson(call, { id, secret, old_secret_until: timeOf(untilMs) });
    return EXIT_OK;
  }
  printLine(call, `The webhook “${name}” (${id}) has a new secret, which is shown this one time:`);
  printLine(call, "");
  printLine(call, `  ${call.paint.bold(secret)}`);
  printLine(call, "");
  printLine(call, `Until ${timeText(untilMs)} messages are signed with the old one, too.`);
  return EXIT_OK;
}

async function remove(call: Call): Promise<number> {
  const id = idOf(call);
  const webhook = await withSession(call, "refuse", ({ control }) => dropWebhook(control, id));
  if (webhook === null) throw new Failure(`There is no webhook ${id}.`);
  if (call.json) printJson(call, { id: webhook.id, name: webhook.name });
  else printLine(call, `The webhook “${webhook.name}” (${webhook.id}) is removed.`);
  return EXIT_OK;
}

async function test(call: Call): Promise<number> {
  // Loaded only here, like everything that a running gateway has no use for.
  const { webhookBring } = await import("../console/deliver-webhook.ts");
  const { withNetwork } = await import("../console/upstream-network.ts");
  const id = idOf(call);
  const sent = await withSession(call, "refuse", ({ config, control }) =>
    withNetwork({ settings: config, clock }, ({ outbound }) => {
      const way = { ...control, outbound, privateHosts: config.privateUpstreams };
      return testWebhook(control, id, webhookBring(way));
    }),
  );
  if (sent === null) throw new Failure(`There is no webhook ${id}.`);
  const isGood = sent.state === "delivered";
  const { status, problem } = sent;
  if (call.json) printJson(call, { id: sent.id, state: sent.state, status, problem });
  else if (isGood) printLine(call, `${call.paint.green("✓")} it has arrived (${status ?? ""})`);
  else printLine(call, `${call.paint.red("✗")} ${printable(problem ?? "it has not arrived")}`);
  return isGood ? EXIT_OK : EXIT_FAILED;
}

function idOf(call: Call): Id<"whk"> {
  const id = call.positionals[0] ?? "";
  if (isId("whk", id)) return id;
  throw new UsageProblem(
    "This takes the id of a webhook, which begins with whk_, and not its name or address.",
    "See the ids with: wicketgate webhook list",
  );
}
