import { accountCommands } from "./account.ts";
import { accountLimitCommand } from "./account-limit.ts";
import { accountLinkCommands } from "./account-link.ts";
import { applyCommand } from "./apply.ts";
import { backupCommand } from "./backup.ts";
import { codeCommands } from "./code.ts";
import type { Command } from "./command.ts";
import { configCommand } from "./config.ts";
import { doctorCommand } from "./doctor.ts";
import { keyCommands } from "./key.ts";
import { migrateCommand } from "./migrate.ts";
import { restoreCommand } from "./restore.ts";
import { secretCommands } from "./secret.ts";
import { serveCommand } from "./serve.ts";
import { settingsCommands } from "./settings-command.ts";
import { tokenCommands } from "./token.ts";
import { upstreamCommands } from "./upstream.ts";
import { usageCommand } from "./usage.ts";
import { verifyCommand } from "./verify.ts";
import { versionCommand } from "./version.ts";
import { webhookCommands } from "./webhook.ts";

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  serveCommand,
  applyCommand,
  ...upstreamCommands,
  ...accountCommands,
  ...accountLinkCommands,
  accountLimitCommand,
  ...codeCommands,
  ...keyCommands,
  ...tokenCommands,
  ...webhookCommands,
  usageCommand,
  doctorCommand,
  verifyCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  ...secretCommands,
  ...settingsCommands,
  configCommand,
  versionCommand,
];
