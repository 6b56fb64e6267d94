import { hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.ts";

/** One sub-key for each purpose, so that no two uses of the master secret can be played against each other. */
export type Secrets = {
  lookup: Uint8Array;
  /** More than one while the master secret is changed. */
  seal: { newest: Uint8Array; others: readonly Uint8Array[] };
  mark: Uint8Array;
  codes: Uint8Array;
  audit: Uint8Array;
  demoKey: Uint8Array;
  /** Seals what outlives the master secret it came from. */
  wrap: Uint8Array;
  /** By which a database knows its secret again. */
  houseMark: string;
};

const SECRET_BYTES = 32;

type SecretConfig = Pick<Config, "secret" | "secretFile" | "dataDir">;

export function loadSecrets(config: SecretConfig): Secrets {
  return deriveSecrets(config.secret ?? readOrCreate(secretFile(config)));
}

export function secretFile(config: SecretConfig): string {
  return config.secretFile ?? join(config.dataDir, "secret");
}

export function deriveSecrets(master: string): Secrets {
  const derive = (purpose: string, bytes = 32) =>
    new Uint8Array(hkdfSync("sha256", master, "wicketgate", purpose, bytes));
  return {
    lookup: derive("key lookup"),
    seal: { newest: derive("seal"), others: [] },
    mark: derive("credential mark"),
    codes: derive("redemption code"),
    audit: derive("audit chain"),
    demoKey: derive("demo key", 128),
    wrap: derive("wrap"),
    houseMark: Buffer.from(derive("house mark", 16)).toString("hex"),
  };
}

/** Made once and linked into place whole, so that whoever starts at the same moment reads all of it or makes none. */
export function readOrCreate(file: string): string {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomBytes(8).toString("hex")}`;
    writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, { flag: "wx", mode: 0o600 });
    try {
      linkSync(draft, file);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length >= SECRET_BYTES) return secret;
  throw new Error(`the secret file ${file} holds fewer than ${SECRET_BYTES} characters`);
}
