import { proveCode, stepIsOver } from "../sign-in/second-factor.ts";
import { findStep } from "../sign-in/ticket.ts";
import { signedIn } from "./sign-in-answer.ts";
import type { Handlers } from "./visit.ts";

export const secondFactorHandlers = {
  "POST /sign-in/second-factor": async (visit, { body }) => {
    const step = await findStep(visit, { token: body.ticket, kind: "second_factor" });
    if (step === null || step.accountId === null) throw stepIsOver();
    const { accountId } = step;
    await proveCode(visit, { accountId, code: body.code, ticketHash: step.hash });
    return signedIn(visit, accountId);
  },
} satisfies Pick<Handlers, "POST /sign-in/second-factor">;
