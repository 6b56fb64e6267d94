import { describe, expect, test } from "bun:test";
import { type Ask, hearAt } from "./demo.case.ts";
import { demoTokens } from "./demo-text.ts";

/** The settings do the same on every path that talks. */

type Told = { text: string; input: unknown; output: unknown };
type Path = { path: "chat" | "messages" | "responses" | "completions"; ask: Ask; read: (body: Body) => Told };
type Body = {
  choices: [{ message?: { content: string }; text?: string }];
  content: [{ text: string }];
  output: [{ content: [{ text: string }] }];
  usage?: { [field: string]: unknown };
};

const PATHS: Path[] = [
  {
    path: "chat",
    ask: { messages: [{ role: "user", content: "Hello" }], stream_options: { include_usage: true } },
    read: ({ choices: [choice], usage }) => ({
      text: choice.message?.content ?? "",
      input: usage?.["prompt_tokens"],
      output: usage?.["completion_tokens"],
    }),
  },
  {
    path: "messages",
    ask: { messages: [{ role: "user", content: "Hello" }], max_tokens: 10_000 },
    read: ({ content, usage }) => ({
      text: content[0]?.text ?? "",
      input: usage?.["input_tokens"],
      output: usage?.["output_tokens"],
    }),
  },
  {
    path: "responses",
    ask: { input: "Hello" },
    read: ({ output, usage }) => ({
      text: output[0].content[0].text,
      input: usage?.["input_tokens"],
      output: usage?.["output_tokens"],
    }),
  },
  {
    path: "completions",
    ask: { prompt: "Hello", stream_options: { include_usage: true } },
    read: ({ choices: [choice], usage }) => ({
      text: choice.text ?? "",
      input: usage?.["prompt_tokens"],
      output: usage?.["completion_tokens"],
    }),
  },
];

describe.each(PATHS)("$path", ({ path, ask, read }) => {
  const told = async (extra: Ask, model = "demo") => {
    const heard = await hearAt(path, { ask: { ...ask, ...extra }, model });
    if (heard.failure !== null) throw heard.failure;
    return read(JSON.parse(heard.text));
  };

  test.each([0, 1, 3_000])("tokens: %d", async tokens => {
    for (const answer of [await told({ demo: { tokens } }), await told({}, `demo-tokens-${tokens}`)]) {
      expect(demoTokens(answer.text).length).toBe(tokens);
      expect(answer.output).toBe(tokens);
    }
  });

  test("delay: each token waits, streamed or whole", async () => {
    for (const stream of [false, true]) {
      const start = performance.now();
      await hearAt(path, { ask: { ...ask, stream }, model: "demo-delay-10-tokens-5" });
      expect(performance.now() - start).toBeGreaterThanOrEqual(45);
    }
  });

  test("fail: that status, in the dialect's own shape", async () => {
    for (const [status, type] of [
      [429, "rate_limit_error"],
      [529, path === "messages" ? "overloaded_error" : "server_error"],
      [500, path === "messages" ? "api_error" : "server_error"],
    ] as const) {
      const heard = await hearAt(path, { ask: { ...ask, stream: true }, model: `demo-fail-${status}` });
      expect(heard).toMatchObject({ status, contentType: "application/json" });
      const body = JSON.parse(heard.text);
      expect(body.error).toMatchObject({ type, message: expect.stringContaining(String(status)) });
      expect(body.type).toBe(path === "messages" ? "error" : undefined);
    }
  });

  test("a bad setting: 400, and it is named", async () => {
    const heard = await hearAt(path, { ask: { ...ask, demo: { tokens: -1 } } });
    expect(heard.status).toBe(400);
    expect(JSON.parse(heard.text).error.message).toContain("demo.tokens");
  });

  test.each([0, 1, 5])(
    "cut after %d: the stream breaks between two events, the whole inside its JSON",
    async count => {
      const streamed = await hearAt(path, { ask: { ...ask, stream: true, demo: { cut_after: count } } });
      expect(streamed.failure?.kind).toBe("cut");
      const tokens = streamed.reads.filter(read =>
        /"(text_)?delta":\{"content":"|text_delta|text\.delta|"text":"[^"]/.test(read),
      );
      expect(tokens.filter(read => !read.includes('"content":""')).length).toBe(count);
      for (const read of streamed.reads) expect(read).toEndWith("\n\n");
      expect(streamed.text).not.toContain("message_stop");
      expect(streamed.text).not.toContain("[DONE]");
      const whole = await hearAt(path, { ask: { ...ask, demo: { cut_after: count } } });
      expect(whole.failure?.kind).toBe("cut");
      expect(() => JSON.parse(whole.text)).toThrow();
    },
  );

  test("usage can be left out, or lie", async () => {
    const honest = await told({});
    expect(honest.input).toBeGreaterThan(0);
    const none = await told({ demo: { usage: "none" } });
    expect([none.input, none.output]).toEqual([undefined, undefined]);
    const negative = await told({ demo: { usage: "negative" } });
    expect([negative.input, negative.output]).toEqual([-Number(honest.input), -Number(honest.output)]);
    expect((await told({ demo: { usage: "huge" } })).output).toBe(1e15);
    expect((await told({ demo: { usage: "text" } })).output).toBe(String(honest.output));
  });

  test("usage is left out of a stream, and lies in it, all the same", async () => {
    const streamed = async (usage: string) =>
      (await hearAt(path, { ask: { ...ask, stream: true, demo: { usage } } })).text;
    expect(await streamed("none")).not.toMatch(/"usage":\{/);
    expect(await streamed("huge")).toContain("1000000000000000");
    expect(await streamed("negative")).toMatch(/_tokens":-\d/);
    expect(await streamed("text")).toMatch(/_tokens":"\d/);
  });
});
