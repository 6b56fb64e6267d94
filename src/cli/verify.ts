import { INVARIANTS, verifyBooks } from "../console/verify.ts";
import type { Finding } from "../store/verify.ts";
import { type Call, type Command, EXIT_FAILED, EXIT_OK, printJson, printLine } from "./command.ts";
import { type Watch, withProgress } from "./copy-progress.ts";
import { type Session, withSession } from "./session.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "check that every cent in the ledger is where it should be, and every change in the audit",
  positionals: [],
  options: {},
  run: verify,
};

function verify(call: Call): Promise<number> {
  return withProgress(
    call,
    watch => withSession(call, "refuse", session => check(session, watch), { isLong: true }),
    findings => tell(call, findings),
  );
}

async function check({ store, control }: Session, watch: Watch): Promise<readonly Finding[]> {
  const findings = await verifyBooks({ store, chainKey: control.secrets.audit }, watch("Checking"));
  await store.run("house.verified", { atMs: control.nowMs(), findings: findings.length });
  return findings;
}

function tell(call: Call, findings: readonly Finding[]): number {
  const clean = findings.length === 0;
  if (call.json) printJson(call, { clean, invariants: INVARIANTS, findings });
  else if (clean) printLine(call, call.paint.green(`clean: ${INVARIANTS} invariants hold`));
  else {
    for (const { invariant, row, found } of findings) {
      printLine(call, `${call.paint.red("broken")}: ${invariant}; not so at ${row} (${found})`);
    }
  }
  return clean ? EXIT_OK : EXIT_FAILED;
}
