import { expect, test } from "bun:test";
import { agentName } from "./session-agent.ts";

test("a browser is called what people call it", () => {
  const cases: [agent: string, name: string][] = [
    [
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
      "Chrome on Linux",
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
      "Safari on macOS",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
    ],
    ["Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox on Android"],
    ["curl/8.5.0", "curl"],
    ["", "unknown"],
    ["<script>alert(1)</script>\u0000\u202e", "<script>alert(1)</script>"],
    [`odd ${"x".repeat(500)}`, `odd ${"x".repeat(56)}`],
  ];
  for (const [agent, name] of cases) expect(agentName(agent)).toBe(name);
});
