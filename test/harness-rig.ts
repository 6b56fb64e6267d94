import {
  applyYaml,
  type Environment,
  freshDir,
  type Gateway,
  type MadeKey,
  mustRun,
  removeDir,
  startGateway,
  verifyClean,
} from "./harness.ts";
import { type MockUpstream, mockUpstream } from "./harness-upstream.ts";

/** A gateway in front of a scripted upstream, with one account; each test makes the keys it needs. */

/** Neither may ever reach a client. */
export const UPSTREAM_NAME = "hidden-upstream-name";
export const UPSTREAM_CREDENTIAL = "upstream-credential-9f8e7d6c5b4a";
export const EMAIL = "ann@example.org";

export type Rig = {
  dir: string;
  upstream: MockUpstream;
  gateway: Gateway;
  key: (...options: string[]) => Promise<MadeKey>;
  /** Ends everything, and fails where the ledger is not clean. */
  stop: () => Promise<void>;
};

/** `mock` is priced by tokens, `call` by the call, `renamed` is known upstream by another name. */
export function rigYaml(baseUrl: string): string {
  return `
upstreams:
  - name: ${UPSTREAM_NAME}
    kind: openai-compatible
    base_url: ${baseUrl}
    api_key: ${UPSTREAM_CREDENTIAL}
    models: { mock: mock, call: call, renamed: vendor/model-x }
models:
  - { name: mock, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: call, price: { request: 0.01 } }
  - { name: renamed, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: unpriced }
  - { name: unserved, price: { input: 1, output: 1 } }
  - { name: elsewhere, price: { input: 1, output: 1 } }
groups:
  - { name: default, models: [mock, call, renamed, unpriced, unserved] }
  - { name: other, models: [elsewhere] }
accounts:
  - { email: ${EMAIL}, balance: 1000 }
`;
}

export async function startRig(env: Environment = {}): Promise<Rig> {
  const dir = freshDir();
  const upstream = await mockUpstream();
  await applyYaml(dir, rigYaml(upstream.baseUrl));
  const gateway = await startGateway(dir, { WICKETGATE_DEMO: "off", ...env });
  let count = 0;
  return {
    dir,
    upstream,
    gateway,
    key: (...options) => {
      count += 1;
      return makeKey(dir, [...options, "--name", `key ${count}`]);
    },
    stop: async () => {
      try {
        await verifyClean(dir);
      } finally {
        await upstream.close();
        await gateway.stop();
        removeDir(dir);
      }
    },
  };
}

/** A key of Ann's in the default group, unless the options say otherwise. */
export async function makeKey(dir: string, options: readonly string[]): Promise<MadeKey> {
  const given = (option: string, value: string) => (options.includes(option) ? [] : [option, value]);
  const args = [...given("--account", EMAIL), ...given("--group", "default"), ...given("--name", "laptop")];
  const out = await mustRun(dir, ["key", "create", "--json", ...args, ...options]);
  const made = JSON.parse(out) as { id: string; key: string };
  return { ...made, name: options[options.indexOf("--name") + 1] ?? "laptop", account: EMAIL };
}
