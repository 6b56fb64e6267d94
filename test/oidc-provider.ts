import { createHash, randomBytes } from "node:crypto";

/** A small OpenID Connect provider: discovery, authorization, token and keys, with PKCE and RS256. */

export const CLIENT_ID = "wicketgate";
export const CLIENT_SECRET = "a secret: with+odd/characters";

export type Claims = Record<string, unknown>;

type Grant = { redirectUri: string; challenge: string; nonce: string; claims: Claims };

export class Provider {
  readonly #server: ReturnType<typeof Bun.serve>;
  readonly #keys: CryptoKeyPair;
  readonly #grants = new Map<string, Grant>();
  /** Who is signed in at the provider. */
  claims: Claims = {};
  /** What is told of them by the userinfo endpoint alone. */
  userinfo: Claims | null = null;
  /** In place of what belongs there, to see it refused. */
  twist: { claims?: Claims; key?: CryptoKey; isDown?: boolean } = {};
  /** What the last authorization was asked with. */
  asked = new URLSearchParams();
  calls: string[] = [];

  private constructor(keys: CryptoKeyPair) {
    this.#keys = keys;
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: request => this.#answer(request) });
  }

  static async start(): Promise<Provider> {
    return new Provider(await newKeys());
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.calls.push(url.pathname);
    if (this.twist.isDown === true) return new Response("down", { status: 500 });
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(this.#metadata());
      case "/jwks":
        return Response.json({ keys: [await publicJwk(this.#keys)] });
      case "/authorize":
        return this.#authorize(url.searchParams);
      case "/token":
        return this.#token(request);
      case "/userinfo":
        return Response.json(this.userinfo ?? {});
      default:
        return new Response("no", { status: 404 });
    }
  }

  #metadata() {
    const at = (path: string) => `${this.issuer}${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at("/authorize"),
      token_endpoint: at("/token"),
      jwks_uri: at("/jwks"),
      userinfo_endpoint: at("/userinfo"),
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  #authorize(asked: URLSearchParams): Response {
    this.asked = asked;
    const code = randomBytes(16).toString("hex");
    const redirectUri = asked.get("redirect_uri") ?? "";
    this.#grants.set(code, {
      redirectUri,
      challenge: asked.get("code_challenge") ?? "",
      nonce: asked.get("nonce") ?? "",
      claims: this.claims,
    });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async #token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const grant = this.#grants.get(form.get("code") ?? "");
    this.#grants.delete(form.get("code") ?? "");
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "");
    const isRight =
      grant !== undefined &&
      isClient(request.headers.get("authorization")) &&
      form.get("redirect_uri") === grant.redirectUri &&
      verifier.digest("base64url") === grant.challenge;
    if (!isRight) return Response.json({ error: "invalid_grant" }, { status: 400 });
    return Response.json({
      access_token: "access",
      token_type: "Bearer",
      id_token: await this.#idToken(grant),
    });
  }

  #idToken({ nonce, claims }: Grant): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000);
    const times = { iat: seconds, exp: seconds + 300, auth_time: seconds };
    const said = { iss: this.issuer, aud: CLIENT_ID, nonce, ...times, ...claims, ...this.twist.claims };
    return signedJwt(said, this.twist.key ?? this.#keys.privateKey);
  }
}

/** By the header, each part written as in a form (RFC 6749, 2.3.1). */
function isClient(authorization: string | null): boolean {
  const [id = "", secret = ""] = Buffer.from((authorization ?? "").replace("Basic ", ""), "base64")
    .toString()
    .split(":")
    .map(part => decodeURIComponent(part.replaceAll("+", " ")));
  return id === CLIENT_ID && secret === CLIENT_SECRET;
}

export function newKeys(): Promise<CryptoKeyPair> {
  const form = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, hash: "SHA-256" };
  const publicExponent = new Uint8Array([1, 0, 1]);
  return crypto.subtle.generateKey({ ...form, publicExponent }, true, ["sign", "verify"]);
}

async function publicJwk({ publicKey }: CryptoKeyPair) {
  const { kty, n, e } = await crypto.subtle.exportKey("jwk", publicKey);
  return { kty, n, e, use: "sig", alg: "RS256", kid: "1" };
}

async function signedJwt(claims: Claims, key: CryptoKey): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part({ alg: "RS256", typ: "JWT", kid: "1" })}.${part(claims)}`;
  const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, Buffer.from(body));
  return `${body}.${Buffer.from(signature).toString("base64url")}`;
}
