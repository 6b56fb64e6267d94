import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { runCli } from "../src/cli/run.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";

let rig: CliRig;
beforeEach(() => {
  rig = cliRig();
});
afterEach(() => rig.dispose());

/** Starts `serve` in this process; `signal` is what SIGINT or SIGTERM would do. */
function serve(env: Record<string, string>) {
  const printed = Promise.withResolvers<string>();
  let signal = () => {};
  let err = "";
  const ended = runCli([], {
    stdout: printed.resolve,
    stderr: text => {
      err += text;
    },
    isTerminal: false,
    env: { WICKETGATE_DATA_DIR: join(rig.dir, "data"), WICKETGATE_LOG_LEVEL: "error", PORT: "0", ...env },
    onSignal: listener => {
      signal = listener;
    },
  });
  return { banner: printed.promise, ended, signal: () => signal(), err: () => err };
}

test("the banner's curl command works as it is printed, and a signal stops the server", async () => {
  const served = serve({});
  const banner = await served.banner;
  const root = /address +(http:\S+)/.exec(banner)?.[1] ?? "";
  expect(banner).toContain(`base URL    ${root}/v1\n`);
  const curl = banner.slice(banner.indexOf("curl "));
  const [, url] = /^curl (\S+) \\$/m.exec(curl) ?? [];
  const [, key] = /Authorization: (Bearer wgk_\w{49})" \\$/m.exec(curl) ?? [];
  const [, body] = /-d '(.*)'$/m.exec(curl) ?? [];
  expect(url).toBe(`${root}/v1/chat/completions`);
  const headers = { authorization: key ?? "", "content-type": "application/json" };
  const answer = await fetch(url ?? "", { method: "POST", headers, body: body ?? "" });
  expect(answer.status).toBe(200);
  await answer.text();
  // A terminal and npm both pass the signal on: the second of the two is the same wish.
  served.signal();
  served.signal();
  expect(await served.ended).toBe(0);
});

test("without the demo it says how to make a key", async () => {
  const served = serve({ WICKETGATE_DEMO: "off" });
  expect(await served.banner).toContain("wicketgate key create --account");
  served.signal();
  expect(await served.ended).toBe(0);
});

test("a port that is taken is a sentence", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const served = serve({ PORT: String(other.port) });
  expect(await served.ended).toBe(1);
  expect(served.err()).toContain(`Port ${other.port} on 127.0.0.1 is in use, perhaps by another Wicketgate.`);
  await other.stop(true);
});
