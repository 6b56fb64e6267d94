import { describe, expect, test } from "bun:test";
import { baseUrlProblem, rightBaseUrl, type Style } from "./check-base-url.ts";

const root = "https://gate.example.org";

describe("a base URL", () => {
  const RIGHT: [given: string, style: Style, root: string][] = [
    ["https://gate.example.org/v1", "openai", root],
    ["https://gate.example.org/v1/", "openai", root],
    ["  https://GATE.example.org/v1//  ", "openai", root],
    ["https://gate.example.org:443/v1", "openai", root],
    ["https://gate.example.org", "messages", root],
    ["https://gate.example.org/", "messages", root],
    ["https://example.org/ai/v1", "openai", "https://example.org/ai"],
    ["https://example.org/ai", "messages", "https://example.org/ai"],
    ["http://[::1]:8787/v1", "openai", "http://127.0.0.1:8787"],
  ];
  for (const [given, style, at] of RIGHT) {
    test(`“${given}” is right for ${style} clients of ${at}`, () => {
      expect(baseUrlProblem(given, { root: at, style })).toBeNull();
    });
  }

  const WRONG: [given: string, style: Style, says: string, at?: string][] = [
    ["http://gate.example.org/v1", "openai", "reached by https"],
    [
      "https://gate.example.org:8443/v1",
      "openai",
      "port 8443, and this installation is reached at the usual port",
    ],
    ["https://gate.example.org.evil.example/v1", "openai", "another host"],
    ["https://gate.example.org@evil.example/v1", "openai", "user name"],
    ["https://example.org/v1", "openai", "nothing is there", "https://example.org/ai"],
    ["https://example.org/ai", "openai", "no /v1 at its end", "https://example.org/ai"],
    ["https://gate.example.org/v1/v1/", "openai", "/v1 twice"],
    ["https://gate.example.org/v1/v1beta/models", "openai", "clients add by themselves"],
    ["https://gate.example.org/v1/audio/speech", "openai", "clients add by themselves"],
    ["https://gate.example.org/v1/messages/count_tokens", "messages", "clients add by themselves"],
    ["https://gate.example.org/V1", "messages", "ends in /v1"],
    ["“https://gate.example.org/v1”", "openai", "quotes"],
    ["<https://gate.example.org/v1>", "openai", "brackets"],
    ["https://", "openai", "not an address"],
    ["gate.example.org/v1", "openai", "does not begin"],
    [`https://gate.example.org/${"/".repeat(2000)}x`, "openai", "nothing is there"],
  ];
  for (const [given, style, says, at = root] of WRONG) {
    test(`“${given.slice(0, 60)}” is wrong for ${style} clients: ${says}`, () => {
      const problem = baseUrlProblem(given, { root: at, style }) ?? "";
      expect(problem).toContain(says);
      expect(problem.length).toBeLessThan(300);
      // What is told to enter is right.
      expect(baseUrlProblem(rightBaseUrl(at, style), { root: at, style })).toBeNull();
    });
  }
});
