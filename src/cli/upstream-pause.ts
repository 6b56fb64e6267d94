import { byOf } from "../console/control.ts";
import { StoreProblem } from "../store/store.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { withSession } from "./session.ts";

export const upstreamPauseCommands: readonly Command[] = [
  {
    name: "upstream pause",
    summary: "ask nothing of an upstream until it is resumed; what runs there goes on",
    positionals: ["NAME"],
    options: {},
    details:
      "Every running gateway sees it within a second. Models that nobody else serves are refused meanwhile.",
    run: call => pause(call, true),
  },
  {
    name: "upstream resume",
    summary: "ask a paused upstream again",
    positionals: ["NAME"],
    options: {},
    run: call => pause(call, false),
  },
];

async function pause(call: Call, isPaused: boolean): Promise<number> {
  const name = call.positionals[0] ?? "";
  await withSession(call, "refuse", async ({ store, control }) => {
    const upstream = (await store.run("upstream.list", {})).find(one => one.name === name);
    const change = { isPaused };
    const isThere =
      upstream !== undefined &&
      (await store.run("upstream.change", { id: upstream.id, change, by: byOf(control) }));
    if (isThere) return;
    throw new StoreProblem("There is no upstream of this name. See them all with: wicketgate upstream list");
  });
  if (call.json) printJson(call, { name, paused: isPaused });
  else {
    const now = isPaused ? "is paused: nothing is asked of it" : "is asked again";
    printLine(call, `The upstream “${printable(name)}” ${now}.`);
  }
  return EXIT_OK;
}
