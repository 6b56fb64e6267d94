import { describe, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { failedExchange, type OutboundRequest } from "./answer.ts";
import { awsKeys, awsSigner } from "./sign-aws.ts";

const ID = "AKIDEXAMPLEEXAMPLE12";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const NOW_MS = Date.UTC(2026, 10, 15, 9, 5, 7, 123);
const BODY = '{"anthropic_version":"bedrock-2023-05-31"}';

async function signed(credential: string, host = "bedrock-runtime.eu-west-1.amazonaws.com") {
  const baseUrl = `https://${host}`;
  const sign = awsSigner({
    credential,
    baseUrl,
    ask: () => failedExchange(new Error("nothing is asked")),
    nowMs: () => NOW_MS,
  });
  if (sign === null) return null;
  const request: OutboundRequest = {
    method: "POST",
    url: new URL(`${baseUrl}/model/anthropic.claude-v1%3A0/invoke`),
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: Buffer.from(BODY),
  };
  return sign(request);
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** As the specification has it, worked out by hand. */
function expected(region: string, { headers, url }: OutboundRequest): string {
  const names = /SignedHeaders=([^,]+)/.exec(headers["authorization"] ?? "")?.[1] ?? "";
  const lines = names.split(";").map(name => `${name}:${name === "host" ? url.host : headers[name]}\n`);
  const path = url.pathname.split("/").map(encodeURIComponent).join("/");
  const canonical = ["POST", path, "", lines.join(""), names, sha256(BODY)].join("\n");
  const scope = `20261115/${region}/bedrock/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", "20261115T090507Z", scope, sha256(canonical)].join("\n");
  const steps = ["20261115", region, "bedrock", "aws4_request"];
  const key = steps.reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  const signature = hmac(key, text).toString("hex");
  return `AWS4-HMAC-SHA256 Credential=${ID}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

describe("a request to Bedrock with the keys of AWS", () => {
  test("is signed with its body, its path and the time", async () => {
    const request = await signed(`${ID}:${SECRET}`);
    if (request === null) throw new Error("it was not signed");
    expect(request.headers["authorization"]).toBe(expected("eu-west-1", request));
    expect(request.headers["x-amz-date"]).toBe("20261115T090507Z");
    expect(request.headers["content-type"]).toBe("application/json");
    expect(JSON.stringify(request.headers)).not.toContain(SECRET);
  });

  test("carries the session where the keys are lent, and signs it", async () => {
    const request = await signed(`${ID}:${SECRET}:a-session==`);
    if (request === null) throw new Error("it was not signed");
    expect(request.headers["x-amz-security-token"]).toBe("a-session==");
    expect(request.headers["authorization"]).toContain("x-amz-security-token");
    expect(request.headers["authorization"]).toBe(expected("eu-west-1", request));
  });

  test.each([
    ["bedrock-runtime.us-gov-west-1.amazonaws.com", "us-gov-west-1"],
    ["bedrock-runtime-fips.us-west-2.amazonaws.com", "us-west-2"],
    ["vpce-1.bedrock-runtime.ap-south-1.vpce.amazonaws.com", "ap-south-1"],
    ["proxy.example:8443", "us-east-1"],
  ])("names the region of %s", async (host, region) => {
    const request = await signed(`${ID}:${SECRET}`, host);
    if (request === null) throw new Error("it was not signed");
    expect(request.headers["authorization"]).toBe(expected(region, request));
  });
});

test("a key of Bedrock's own is not taken for the keys of AWS", async () => {
  for (const key of ["ABSKQmVkcm9jaw==", "bedrock-api-key-YmVk", "AKIA:", "akidexampleexample12:x"]) {
    expect(awsKeys(key)).toBeNull();
    expect(await signed(key)).toBeNull();
  }
});
