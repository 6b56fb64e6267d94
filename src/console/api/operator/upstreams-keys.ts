import { byOf } from "../../control.ts";
import { addUpstreamKey } from "../../upstream-credentials.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers } from "../visit.ts";
import { upstreamOf } from "./upstreams.ts";
import { viewOf } from "./upstreams-view.ts";

export const upstreamKeyHandlers = {
  "POST /operator/upstreams/{id}/credentials": async (visit, { params, body }) => {
    const { id, name } = await upstreamOf(visit, params.id);
    await addUpstreamKey(visit.control, { name, plain: body.api_key });
    return viewOf(visit.desk, id);
  },

  "DELETE /operator/upstreams/{id}/credentials/{credential}": async (visit, { params }) => {
    const { id, name, credentials } = await upstreamOf(visit, params.id);
    const meant = credentials.find(one => one.id === params.credential);
    if (meant === undefined) {
      throw new ConsoleProblem("not_found", "This upstream has no such key. It may have been removed.");
    }
    const { desk, control } = visit;
    await desk.store.run("credential.remove", { name, ending: meant.id, by: byOf(control) });
    return viewOf(desk, id);
  },
} satisfies Partial<Handlers>;
