import { createHmac } from "node:crypto";

/** A receiver as somebody would write it by the specification, on this machine. */

export type Arrived = {
  id: string;
  type: string;
  text: string;
  data: Record<string, unknown>;
  isSigned: boolean;
};

export type Hook = {
  url: string;
  arrived: Arrived[];
  /** What signatures are checked with. */
  secret: string;
  /** What the next calls are answered. */
  answer: (arrived: Arrived) => Response | Promise<Response>;
  of: (type: string) => Arrived[];
  close: () => void;
};

export function startHook(): Hook {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async request => {
      const text = await request.text();
      const { type, data } = JSON.parse(text) as Pick<Arrived, "type" | "data">;
      const id = request.headers.get("webhook-id") ?? "";
      const arrived = { id, type, text, data, isSigned: isSigned(request.headers, text) };
      hook.arrived.push(arrived);
      return hook.answer(arrived);
    },
  });
  const isSigned = (headers: Headers, text: string) => {
    const [id, time, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(name =>
      headers.get(name),
    );
    const mac = createHmac("sha256", Buffer.from(hook.secret.slice("whsec_".length), "base64"));
    const isFresh = Math.abs(Date.now() / 1_000 - Number(time)) < 300;
    const expected = `v1,${mac.update(`${id}.${time}.${text}`).digest("base64")}`;
    return isFresh && signature?.split(" ").includes(expected) === true;
  };
  const hook: Hook = {
    url: `http://127.0.0.1:${server.port}/in/secret-path`,
    arrived: [],
    secret: "whsec_",
    answer: () => new Response("thanks"),
    of: type => hook.arrived.filter(one => one.type === type),
    close: () => void server.stop(true),
  };
  return hook;
}
