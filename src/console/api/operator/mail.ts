import type { Handler, Handlers } from "../visit.ts";

const test: Handler<"POST /operator/settings/mail-test"> = async ({ desk, visitor }) => {
  const { email } = visitor;
  const problem = await desk.mail.send({ email }, { kind: "test", by: email });
  return { to: email, problem: problem?.sentence ?? null };
};

export const mailTestHandlers = {
  "POST /operator/settings/mail-test": test,
} satisfies Pick<Handlers, "POST /operator/settings/mail-test">;
