import { byOf } from "../console/control.ts";
import { shortId } from "../domain/catalogue.ts";
import { MULTIPLIER_ONE } from "../domain/money.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { withSession } from "./session.ts";
import { table } from "./table.ts";
import { upstreamAddCommand } from "./upstream-add.ts";
import { upstreamHealthCommands } from "./upstream-health.ts";
import { upstreamKeyCommands } from "./upstream-keys.ts";
import { upstreamPauseCommands } from "./upstream-pause.ts";
import { upstreamTestCommand } from "./upstream-test.ts";

const SHOWN_MAX = 5;

export const upstreamCommands: readonly Command[] = [
  upstreamAddCommand,
  {
    name: "upstream list",
    summary: "list the upstreams, never their credentials",
    positionals: [],
    options: {},
    run: list,
  },
  ...upstreamKeyCommands,
  upstreamTestCommand,
  ...upstreamHealthCommands,
  ...upstreamPauseCommands,
  {
    name: "upstream remove",
    summary: "stop using an upstream, and forget its credential",
    positionals: ["NAME"],
    options: {},
    run: remove,
  },
];

async function list(call: Call): Promise<number> {
  const [upstreams, states] = await withSession(call, "refuse", async ({ store }) => {
    return [await store.run("upstream.list", {}), await store.report("upstream.states", {})] as const;
  });
  const restsOf = (id: string) => states.filter(({ upstreamId }) => upstreamId === id);
  if (call.json) {
    const shown = upstreams.map(one => ({
      name: one.name,
      kind: one.kind,
      base_url: one.baseUrl,
      speaks: one.speaks,
      priority: one.priority,
      weight: one.weight,
      max_concurrency: one.concurrencyMax,
      probe_minutes: one.probeMinutes,
      paused: one.isPaused,
      cost: one.cost / MULTIPLIER_ONE,
      has_credential: one.credentials.length > 0,
      keys: one.credentials.map(({ id, preview }) => ({ id, short_id: shortId(id), preview })),
      resting: restsOf(one.id).map(({ model, credentialId, state, why }) => {
        return { model, key: credentialId === null ? null : shortId(credentialId), state, why };
      }),
      models: [...one.models].map(([name, known]) => ({ name, upstream_name: known })),
    }));
    printJson(call, shown);
  } else if (upstreams.length === 0) {
    printLine(call, "There are no upstreams yet. Connect one with: wicketgate upstream add NAME --kind KIND");
  } else {
    const columns = [
      ...["NAME", "KIND", "ADDRESS", "SPEAKS"].map(title => ({ title })),
      { title: "PRIORITY", right: true as const },
      { title: "WEIGHT", right: true as const },
      ...["CREDENTIAL", "HEALTH", "MODELS"].map(title => ({ title })),
    ];
    const rows = upstreams.map(one => [
      ...[one.name, one.kind, one.baseUrl ?? "built in", one.speaks.join(", ")],
      ...[String(one.priority), String(one.weight), stored(one.credentials.length)],
      one.isPaused ? "paused" : restsOf(one.id).length === 0 ? "well" : "see upstream health",
      briefly([...one.models.keys()]),
    ]);
    call.io.stdout(table(columns, rows, call.paint));
  }
  return EXIT_OK;
}

async function remove(call: Call): Promise<number> {
  const name = call.positionals[0] ?? "";
  const removed = await withSession(call, "refuse", ({ store, control }) =>
    store.run("upstream.remove", { name, by: byOf(control) }),
  );
  const { unservedModels } = removed;
  if (call.json) {
    printJson(call, { name: removed.name, unserved_models: unservedModels });
    return EXIT_OK;
  }
  printLine(call, `The upstream “${printable(name)}” is removed, and its credential with it.`);
  if (unservedModels.length > 0) {
    const names = printable(unservedModels.join(", "));
    printLine(call, `Nobody serves these models any more, and requests for them are refused: ${names}`);
  }
  return EXIT_OK;
}

function stored(count: number): string {
  return count === 0 ? "none" : count === 1 ? "stored" : `${count} keys`;
}

function briefly(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN_MAX).join(", ");
  return names.length > SHOWN_MAX ? `${shown} and ${names.length - SHOWN_MAX} more` : shown;
}
