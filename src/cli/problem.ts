/** The command was not called as it should be: exit code 2. */
export class UsageProblem extends Error {
  override readonly name = "UsageProblem";
  constructor(
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
  }
}

/** Settings that cannot be used, all of them at once: exit code 2. */
export class ConfigProblem extends Error {
  override readonly name = "ConfigProblem";
  constructor(readonly problems: readonly string[]) {
    super("The settings of this installation cannot be used.");
  }
}

/** What was asked for could not be done: exit code 1. */
export class Failure extends Error {
  override readonly name = "Failure";
}
