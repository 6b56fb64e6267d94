import { AwsV4Signer } from "aws4fetch";
import { isStreamed, UpstreamFailure } from "./answer.ts";
import type { Signer, SignWith } from "./presets/preset.ts";

const SERVICE = "bedrock";
/** Where the host does not tell, as behind a name of the operator's own. */
const REGION = "us-east-1";
const REGION_IN_HOST = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./;
const KEY_ID = /^A[A-Z0-9]{15,127}$/;

type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

/** Written as `id:secret`, and `id:secret:session` where the keys are lent; anything else is a key of Bedrock's own. */
export function awsKeys(credential: string): AwsKeys | null {
  const [accessKeyId = "", secretAccessKey = "", sessionToken] = credential.split(":");
  if (!KEY_ID.test(accessKeyId) || secretAccessKey === "") return null;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** Each request is signed with its body and the time. */
export function awsSigner({ credential, baseUrl, nowMs }: SignWith): Signer | null {
  const keys = awsKeys(credential);
  if (keys === null) return null;
  const region = REGION_IN_HOST.exec(new URL(baseUrl).hostname)?.[1] ?? REGION;
  const given = { ...keys, service: SERVICE, region, cache: new Map<string, ArrayBuffer>() };
  return async request => {
    const { method, url, headers, body } = request;
    if (isStreamed(body)) throw new UpstreamFailure("connect", "what streams cannot be signed");
    const datetime = new Date(nowMs()).toISOString().replace(/[-:]|\.\d+/g, "");
    const bytes = body === null ? null : Buffer.from(body);
    const signer = new AwsV4Signer({ ...given, method, url: url.href, headers, body: bytes, datetime });
    const signed = await signer.sign();
    return { ...request, headers: Object.fromEntries(signed.headers) };
  };
}
