import type { Command } from "./command.ts";

type Family = () => Promise<readonly Command[]>;

/** Every command by its first word, in the order of the help. Only those that are called are loaded. */
const families: Readonly<Record<string, Family>> = {
  serve: async () => [(await import("./serve.ts")).serveCommand],
  apply: async () => [(await import("./apply.ts")).applyCommand],
  upstream: async () => (await import("./upstream.ts")).upstreamCommands,
  account: async () => [
    ...(await import("./account.ts")).accountCommands,
    ...(await import("./account-link.ts")).accountLinkCommands,
    (await import("./account-limit.ts")).accountLimitCommand,
  ],
  code: async () => (await import("./code.ts")).codeCommands,
  key: async () => (await import("./key.ts")).keyCommands,
  token: async () => (await import("./token.ts")).tokenCommands,
  webhook: async () => (await import("./webhook.ts")).webhookCommands,
  usage: async () => [(await import("./usage.ts")).usageCommand],
  doctor: async () => [(await import("./doctor.ts")).doctorCommand],
  verify: async () => [(await import("./verify.ts")).verifyCommand],
  backup: async () => [(await import("./backup.ts")).backupCommand],
  restore: async () => [(await import("./restore.ts")).restoreCommand],
  migrate: async () => [(await import("./migrate.ts")).migrateCommand],
  secret: async () => (await import("./secret.ts")).secretCommands,
  settings: async () => (await import("./settings-command.ts")).settingsCommands,
  config: async () => [(await import("./config.ts")).configCommand],
  version: async () => [(await import("./version.ts")).versionCommand],
};

/** Those that begin with a word; all of them where none does, as for the help. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const family = Object.hasOwn(families, word) ? families[word] : undefined;
  if (family !== undefined) return family();
  return (await Promise.all(Object.values(families).map(load => load()))).flat();
}
