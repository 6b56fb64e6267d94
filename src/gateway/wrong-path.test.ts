import { describe, expect, test } from "bun:test";
import { wrongPath } from "./wrong-path.ts";

const ROOT = "https://gate.example.org";

function told(path: string) {
  const { refusal, dialect } = wrongPath(path, ROOT);
  const { baseUrl, status } = refusal.params;
  return { reason: refusal.reason, baseUrl, status, dialect };
}

describe("an OpenAI-style client with a wrong base URL is told the one that ends in /v1:", () => {
  test.each([
    "/chat/completions",
    "/responses",
    "/completions",
    "/embeddings",
    "/models",
    "/models/gpt-5",
    "/images/generations",
    "/audio/speech",
    "/audio/transcriptions",
    "/v1/v1",
    "/v1/v1/chat/completions",
    "/v1/v1/v1/chat/completions",
    "/v1/v1/models",
    "/v1/v1/models/gpt-5",
    "/v1/v1/anything",
    "/v1/chat/completions/chat/completions",
    "/v1/chat/completions/responses",
    "/v1/chat/completions/models",
    "/v1/responses/responses",
    "/v1/responses/chat/completions",
    "/v1/messages/chat/completions",
    "/v1/models/chat/completions",
    "/openai/v1/chat/completions",
    "/openai/deployments/gpt-5/chat/completions",
    "/api/v1/chat/completions",
    "/api/v1/models/gpt-5",
    "/v2/chat/completions",
    "/v1beta/openai/chat/completions",
    "/console/chat/completions",
  ])("%s", path => {
    const expected = { reason: "wrong_base_url", baseUrl: `${ROOT}/v1`, dialect: "chat" };
    expect(told(path)).toMatchObject(expected);
    expect(told(path).status).toBeUndefined();
    expect(told(`${path}/`)).toMatchObject(expected);
    expect(told(`${path}//`)).toMatchObject(expected);
  });

  test.each(["/V1/chat/completions", "/CHAT/COMPLETIONS", "/V1/V1/models", "/API/v1/Chat/Completions"])(
    "%s, in capitals",
    path => expect(told(path)).toMatchObject({ reason: "wrong_base_url", baseUrl: `${ROOT}/v1` }),
  );

  test.each(["//chat/completions", "/v1//chat/completions", "//v1/chat/completions", "/v1//models/gpt-5"])(
    "%s, where the base URL ended in a slash",
    path => expect(told(path)).toMatchObject({ reason: "wrong_base_url", baseUrl: `${ROOT}/v1` }),
  );
});

describe("a messages-style client with a wrong base URL is told the root, with a status that it shows:", () => {
  test.each([
    "/messages",
    "/messages/count_tokens",
    "/v1/v1/messages",
    "/v1/v1/messages/count_tokens",
    "/v1/messages/v1/messages",
    "/v1/messages/messages",
    "/v1/chat/completions/v1/messages",
    "/v1/responses/v1/messages",
    "/anthropic/v1/messages",
    "/api/v1/messages",
    "/V1/messages",
    "/v1/V1/Messages",
    "//v1/messages",
    "/v1//messages",
    "/v1/v1/messages/",
  ])("%s", path =>
    expect(told(path)).toEqual({
      reason: "wrong_base_url",
      baseUrl: ROOT,
      status: 405,
      dialect: "messages",
    }),
  );
});

describe("a Gemini client with a wrong base URL is told the root:", () => {
  test.each([
    "/v1/v1beta/models/x:generateContent",
    "/v1/v1beta/models/x:streamGenerateContent",
    "/v1/v1beta/models",
    "/v1//v1beta/models/x:generateContent",
    "//v1beta/models/x:generateContent",
  ])("%s", path => expect(told(path)).toMatchObject({ reason: "wrong_base_url", baseUrl: ROOT }));
});

describe("anything else is simply not there:", () => {
  test.each([
    "/favicon.ico",
    "/robots.txt",
    "/.env",
    "/",
    "",
    "//",
    "/v1",
    "/v1/",
    "/v1/unknown",
    "/v1/chat",
    "/v1/chat/completions",
    "/v1/chat/completions/",
    "/v1/Chat/Completions",
    "/v1/responses",
    "/v1/embeddings",
    "/v1/completions",
    "/v1/images/generations",
    "/v1/audio/speech",
    "/v1/models",
    "/v1/models/gpt-5",
    "/v1beta/models/x:generateContent",
    "/v1beta/models",
    "/v1x/thing",
    "/remodels",
    "/mymessages",
    "/api/hello",
    "/console/",
    "/%00",
  ])("%s", path => {
    const { refusal, dialect } = wrongPath(path, ROOT);
    expect(dialect).toBe("chat");
    expect(refusal).toEqual({
      reason: "not_found",
      params: { path, openaiUrl: `${ROOT}/v1`, messagesUrl: ROOT },
    });
  });

  test.each(["/v1/messages", "/v1/messages/", "/v1/messages/count_tokens"])(
    "%s, said in the messages dialect",
    path => expect(told(path)).toMatchObject({ reason: "not_found", dialect: "messages" }),
  );
});

describe("the path is repeated", () => {
  test("cut to length", () => {
    for (const path of [`/${"a".repeat(5_000)}`, `/${"a".repeat(5_000)}/messages`]) {
      expect(wrongPath(path, ROOT).refusal.params["path"]).toBe(path.slice(0, 200));
    }
  });

  test.each(["/models", "/v1", "/messages", "//", "/a", "/v1beta/"])(
    "in time however often it has %s",
    part => {
      const startedAtMs = performance.now();
      wrongPath(part.repeat(20_000), ROOT);
      wrongPath(`${part.repeat(20_000)}!`, ROOT);
      expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    },
  );
});
