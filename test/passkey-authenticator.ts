import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** An authenticator as software: ES256, no attestation, one passkey, its holder always at hand. */

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

type Asked = Record<string, unknown>;
export type Twist = {
  /** The page that it believes to be on. */
  origin?: string;
  rpId?: string;
  challenge?: string;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
};

export class Authenticator {
  readonly #key: KeyObject;
  readonly #point: { x: Buffer; y: Buffer };
  readonly id = randomBytes(32).toString("base64url");
  #userHandle = "";
  counter = 0;
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    this.#key = privateKey;
    this.#point = { x: Buffer.from(x, "base64url"), y: Buffer.from(y, "base64url") };
  }

  /** What `navigator.credentials.create` would give. */
  create(options: Asked, twist: Twist = {}): Asked {
    const rp = options["rp"] as { id: string };
    const user = options["user"] as { id: string };
    this.#userHandle = user.id;
    const credentialId = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(credentialId.length);
    const { x, y } = this.#point;
    const publicKey = Buffer.concat([hex("a5010203262001215820"), x, hex("225820"), y]);
    const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, publicKey]);
    const authData = this.#data(twist.rpId ?? rp.id, { ...twist, credential });
    const attestation = Buffer.concat([
      hex("a363666d74646e6f6e656761747453746d74a068617574684461746159"),
      Buffer.of(authData.length >> 8, authData.length & 255),
      authData,
    ]);
    return this.#answer({
      clientDataJSON: this.#client("webauthn.create", options, twist).toString("base64url"),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal", "hybrid"],
    });
  }

  /** What `navigator.credentials.get` would give. */
  get(options: Asked, twist: Twist = {}): Asked {
    const authData = this.#data(twist.rpId ?? String(options["rpId"]), twist);
    const client = this.#client("webauthn.get", options, twist);
    const signed = Buffer.concat([authData, createHash("sha256").update(client).digest()]);
    return this.#answer({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: sign("sha256", signed, this.#key).toString("base64url"),
      userHandle: twist.userHandle ?? this.#userHandle,
    });
  }

  #data(rpId: string, { isVerified = true, counter, credential }: Twist & { credential?: Buffer }): Buffer {
    this.counter = counter ?? this.counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const flags =
      USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | (credential === undefined ? 0 : HAS_CREDENTIAL);
    const host = createHash("sha256").update(rpId).digest();
    return Buffer.concat([host, Buffer.of(flags), count, credential ?? Buffer.alloc(0)]);
  }

  #client(type: string, options: Asked, { origin = this.origin, challenge }: Twist): Buffer {
    const said = { type, challenge: challenge ?? options["challenge"], origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(said));
  }

  #answer(response: Asked): Asked {
    const shell = { type: "public-key", clientExtensionResults: {}, authenticatorAttachment: "platform" };
    return { id: this.id, rawId: this.id, response, ...shell };
  }
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}
