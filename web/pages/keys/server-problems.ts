import { ApiError } from "../../api/api-error.ts";
import { DRAFT_FIELDS } from "./draft-body.ts";
import type { FormSay, Problems } from "./draft-problems.ts";

/** What the server says is wrong with which field. Its sentences are English; the few it alone can tell are ours. */
export function serverProblems(error: unknown, say: FormSay): Problems {
  if (!(error instanceof ApiError)) return {};
  const found: Problems = {};
  for (const { path, message } of error.fields) {
    const field = DRAFT_FIELDS[path];
    if (field !== undefined) found[field] = say.language === "en" ? message : translated(error, path, say);
  }
  return found;
}

function translated(error: ApiError, path: string, say: FormSay): string {
  const isTaken = error.code === "conflict";
  if (path === "name") return say(isTaken ? "nameTaken" : "controlName");
  if (path === "custom_key") return say("customTaken");
  if (path === "group") return say("groupTaken");
  if (path === "expires_at") return say("pastDate");
  return say("badAmount");
}

/** The answer never came, so nobody knows whether it was done. */
export function isInDoubt(error: unknown): boolean {
  if (error === null || error === undefined) return false;
  if (!(error instanceof ApiError)) return true;
  return ["lost", "offline", "unavailable", "failed"].includes(error.code);
}
