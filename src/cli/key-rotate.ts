import { rotateKey } from "../console/keys.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { keyIdOf } from "./key-id.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** As in the console. */
const GRACE_MS_MAX = 30 * UNITS_MS.d;

export const rotateCommand: Command = {
  name: "key rotate",
  summary: "give a key a new string and show it, this once; usage, limits and id stay",
  positionals: ["ID"],
  options: {
    grace: {
      value: "TIME",
      meaning: "how long the old string still works: 30m, 24h, 7d; without it, no longer",
    },
  },
  details: 'With --json it prints exactly {"id":"key_…","key":"wgk_…","old_until":"…"}.',
  run: rotate,
};

async function rotate(call: Call): Promise<number> {
  const form = { id: keyIdOf(call), accountId: null, graceMs: readGrace(call.text("grace")) };
  const made = await withSession(call, "refuse", ({ control }) => rotateKey(control, form));
  if (made === null) throw new Failure(`There is no key ${form.id}.`);
  const oldUntil = new Date(made.untilMs).toISOString();
  if (call.json) {
    printJson(call, { id: form.id, key: made.key, old_until: oldUntil });
    return EXIT_OK;
  }
  const old =
    form.graceMs === 0 ? "The old one is refused from now on." : `The old one works until ${oldUntil}.`;
  printLine(
    call,
    `The key “${made.name}” (${form.id}) has a new string. ${old} This is the only time it is shown:`,
  );
  printLine(call, "");
  printLine(call, `  ${call.paint.bold(made.key)}`);
  return EXIT_OK;
}

function readGrace(text: string | null): number {
  if (text === null || text === "0") return 0;
  const span = /^(\d{1,7})([smhd])$/.exec(text);
  const unit = span?.[2] as keyof typeof UNITS_MS | undefined;
  const graceMs = unit === undefined ? Number.NaN : Number(span?.[1]) * UNITS_MS[unit];
  if (graceMs <= GRACE_MS_MAX) return graceMs;
  throw new UsageProblem("--grace must be a time of at most 30 days.", "Write 30m, 24h or 7d.");
}
