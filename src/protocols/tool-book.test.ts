import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Prompt, Reply, ReplyEvent, Tool, ToolCallPart } from "../domain/chat.ts";
import { foldReply } from "./fold.ts";
import { PROMPT } from "./prompt.case.ts";
import { texts } from "./reply.case.ts";
import { noToolBook, type ToolBook, type ToolRules, toolBook } from "./tool-book.ts";
import { unfoldReply } from "./unfold.ts";

const SEED = { seed: 20_261_115 };
const NOTHING: ToolRules = { custom: false, namespaces: false, nameCharactersMax: 64 };
const ALL: ToolRules = { custom: true, namespaces: true, nameCharactersMax: 64 };
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;

const fn = (name: string, namespace: string | null = null): Tool => {
  return { kind: "function", name, description: null, schema: {}, strict: null, namespace, cache: null };
};
const custom = (name: string, format: unknown = null, description: string | null = null): Tool => {
  return { kind: "custom", name, description, format, cache: null };
};
const call = (name: string, extra: Partial<ToolCallPart> = {}): ToolCallPart => {
  const plain = { kind: "tool-call", id: "c", input: "{}", tool: "function", namespace: null } as const;
  return { ...plain, name, cache: null, ...extra };
};
const asked = (tools: Tool[], extra: Partial<Prompt> = {}): Prompt => ({ ...PROMPT, tools, ...extra });
const past = (...parts: ToolCallPart[]): Partial<Prompt> => {
  return { turns: [...PROMPT.turns, { role: "assistant", parts, at: "messages[1]" }] };
};
const answer = (...parts: ToolCallPart[]): Reply => {
  const stop = { reason: "tool-calls", raw: null, sequence: null } as const;
  return { id: "i", model: "m", createdSeconds: null, parts, stop, usage: null };
};
const toolNames = ({ tools }: Prompt) => tools.map(({ name }) => name ?? "");
const pastCalls = ({ turns }: Prompt) =>
  turns.flatMap(({ parts }) => parts.filter(part => part.kind === "tool-call"));

function restoredStream(book: ToolBook, reply: Reply): ReplyEvent[] {
  return unfoldReply(reply).flatMap(event => book.restore(event));
}

describe("a prompt that an upstream can take as it is", () => {
  test("stays the very same, and so does its answer", () => {
    const prompt = asked([fn("plain"), fn("get-weather_2")], past(call("plain")));
    const { prompt: written, book } = toolBook(prompt, NOTHING);
    expect(written).toBe(prompt);
    expect(book).toBe(noToolBook);
    expect(book.isBlank).toBe(true);
  });

  test("may have custom tools and namespaces, where the upstream has them", () => {
    const tools = [custom("patch", { type: "text" }), fn("read", "files"), fn("read", "mail")];
    const prompt = asked(tools, past(call("read", { namespace: "mail" }), call("patch", { tool: "custom" })));
    const { prompt: written, book } = toolBook(prompt, ALL);
    expect(written.tools).toEqual(tools);
    expect(pastCalls(written)).toEqual(pastCalls(prompt));
    const reply = answer(call("read", { namespace: "mail" }), call("patch", { tool: "custom", input: "x" }));
    expect(book.restoreReply(reply)).toEqual(reply);
  });

  test("is not looked into where there are no tools", () => {
    expect(toolBook(PROMPT, NOTHING)).toEqual({ prompt: PROMPT, book: noToolBook });
  });
});

describe("[P58] a name", () => {
  const LONG = `mcp__a_server_with_a_long_name__${"and_a_tool_".repeat(6)}`;

  test("that is too long or has other letters is shortened, the same way in each place", () => {
    const prompt = asked([fn(LONG), fn("tool.with/dots")], {
      ...past(call(LONG), call("tool.with/dots")),
      toolChoice: { kind: "named", name: LONG },
    });
    const { prompt: written } = toolBook(prompt, NOTHING);
    const [long = "", dotted = ""] = toolNames(written);
    expect(long).toMatch(ALLOWED);
    expect(long).toStartWith("mcp__a_server_with_a_long_name__and_a");
    expect(dotted).toMatch(/^tool_with_dots_[0-9a-f]{8}$/);
    expect(written.toolChoice).toEqual({ kind: "named", name: long });
    expect(pastCalls(written).map(({ name }) => name)).toEqual([long, dotted]);
  });

  test("comes back whole, in a stream and not", () => {
    const { prompt, book } = toolBook(asked([fn(LONG), fn("plain")]), NOTHING);
    const [long = "", plain = ""] = toolNames(prompt);
    const reply = answer(call(long, { input: '{"a":1}' }), call(plain), call("made_up"));
    const restored = answer(call(LONG, { input: '{"a":1}' }), call("plain"), call("made_up"));
    expect(book.restoreReply(reply)).toEqual(restored);
    expect(foldReply(restoredStream(book, reply))).toEqual(restored);
  });

  test("does not depend on the tools beside it", () => {
    const alone = toolNames(toolBook(asked([fn(LONG)]), NOTHING).prompt);
    const last = toolNames(toolBook(asked([fn("a.b"), fn("x"), fn(LONG)]), NOTHING).prompt);
    expect(last.at(-1)).toBe(alone[0] ?? "");
  });

  test("is never that of another tool, and always comes back", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "_", ".", "é"), maxLength: 4 });
    const longName = name.map(text => text.padEnd(80, "a_"));
    const tool = fc.oneof(
      fc.tuple(fc.oneof(name, longName), fc.option(name)).map(([own, space]) => fn(own, space)),
      fc.oneof(name, longName).map(own => custom(own)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(tool, { selector: value => JSON.stringify(value) }), tools => {
        const { prompt, book } = toolBook(asked(tools), NOTHING);
        const written = toolNames(prompt);
        expect(new Set(written).size).toBe(tools.length);
        for (const one of written) expect(one).toMatch(ALLOWED);
        const { parts } = book.restoreReply(answer(...written.map(one => call(one))));
        const restored = parts.map(
          part => part.kind === "tool-call" && [part.name, part.namespace, part.tool],
        );
        expect(restored).toEqual(
          tools.map(({ kind, ...rest }) => [rest.name, "namespace" in rest ? rest.namespace : null, kind]),
        );
      }),
      SEED,
    );
  });

  test("of a past call to a tool that is no longer offered is written too, and stays apart", () => {
    const prompt = asked([fn("read", "files")], past(call("files__read"), call("no.longer")));
    const { prompt: written } = toolBook(prompt, NOTHING);
    const [plain = "", gone = ""] = pastCalls(written).map(({ name }) => name);
    expect(plain).toBe("files__read");
    expect(gone).toMatch(ALLOWED);
    expect(toolNames(written)[0]).toMatch(/^files__read_[0-9a-f]{8}$/);
  });

  test("of a tool choice that no tool has is left to the upstream to refuse", () => {
    const toolChoice = { kind: "named", name: "absent" } as const;
    expect(toolBook(asked([fn("a.b")], { toolChoice }), NOTHING).prompt.toolChoice).toEqual(toolChoice);
  });
});

describe("a namespace", () => {
  const tools = [fn("read", "files"), fn("read", "mail"), fn("read")];

  test("becomes a part of the name, and comes back", () => {
    const prompt = asked(tools, {
      ...past(call("read", { namespace: "mail" })),
      toolChoice: { kind: "allowed", mode: "auto", names: ["read"] },
    });
    const { prompt: written, book } = toolBook(prompt, NOTHING);
    expect(toolNames(written)).toEqual(["files__read", "mail__read", "read"]);
    expect(written.tools.every(tool => tool.kind === "function" && tool.namespace === null)).toBe(true);
    expect(pastCalls(written)).toEqual([call("mail__read")]);
    expect(written.toolChoice).toEqual({ kind: "allowed", mode: "auto", names: ["read"] });
    const reply = answer(call("files__read"));
    expect(book.restoreReply(reply)).toEqual(answer(call("read", { namespace: "files" })));
    expect(foldReply(restoredStream(book, reply))).toEqual(answer(call("read", { namespace: "files" })));
  });
});

describe("a custom tool", () => {
  const GRAMMAR = { type: "grammar", syntax: "lark", definition: 'start: "a"+' };

  test("becomes a function of one text, which is told its grammar", () => {
    const { prompt } = toolBook(asked([custom("patch", GRAMMAR, "Changes files.")]), NOTHING);
    expect(prompt.tools).toEqual([
      {
        kind: "function",
        name: "patch",
        description: 'Changes files.\n\nThe input must match this Lark grammar:\nstart: "a"+',
        schema: {
          type: "object",
          properties: { input: { type: "string", description: "The input of the tool, as plain text." } },
          required: ["input"],
          additionalProperties: false,
        },
        strict: null,
        namespace: null,
        cache: null,
      },
    ]);
  });

  test("is told a grammar that is written as chat has it, and nothing where there is none", () => {
    const nested = { type: "grammar", grammar: { syntax: "regex", definition: "a+" } };
    const formats = [nested, { type: "text" }, null, "?", { type: "grammar" }];
    const { prompt } = toolBook(asked(formats.map((format, at) => custom(`t${at}`, format))), NOTHING);
    expect(prompt.tools.map(tool => tool.kind === "function" && tool.description)).toEqual([
      "The input must match this regular expression:\na+",
      null,
      null,
      null,
      null,
    ]);
  });

  test("has its past inputs wrapped and its new ones unwrapped, in a stream and not", () => {
    fc.assert(
      fc.property(texts, input => {
        const prompt = asked([custom("patch")], past(call("patch", { tool: "custom", input })));
        const { prompt: written, book } = toolBook(prompt, NOTHING);
        const wrapped = call("patch", { input: JSON.stringify({ input }) });
        expect(pastCalls(written)).toEqual([wrapped]);
        const restored = answer(call("patch", { tool: "custom", input }));
        expect(book.restoreReply(answer(wrapped))).toEqual(restored);
        expect(foldReply(restoredStream(book, answer(wrapped)))).toEqual(restored);
      }),
      SEED,
    );
  });

  test("gets what the model gave it, where that is not what it was asked for", () => {
    const { book } = toolBook(asked([custom("patch")]), NOTHING);
    for (const input of ["*** Begin", '{"input":7}', '{"text":"a"}', "[]", "null", '"a"', '{"input":"a'])
      expect(book.restoreReply(answer(call("patch", { input })))).toEqual(
        answer(call("patch", { tool: "custom", input })),
      );
  });

  test("gives its input at once when it is whole, beside other parts that go on", () => {
    const { book } = toolBook(asked([custom("patch"), fn("plain")]), NOTHING);
    const start = (index: number, name: string): ReplyEvent => {
      return {
        kind: "part-start",
        index,
        part: { kind: "tool-call", id: "c", name, tool: "function", namespace: null },
      };
    };
    const delta = (index: number, text: string): ReplyEvent => ({ kind: "part-delta", index, text });
    expect(book.restore(start(0, "patch"))).toMatchObject([{ part: { tool: "custom", name: "patch" } }]);
    expect(book.restore(delta(0, '{"inp'))).toEqual([]);
    expect(book.restore(start(1, "plain"))).toEqual([start(1, "plain")]);
    expect(book.restore(delta(1, "{}"))).toEqual([delta(1, "{}")]);
    expect(book.restore(delta(0, 'ut":"a\\nb"}'))).toEqual([]);
    expect(book.restore({ kind: "part-end", index: 0 })).toEqual([
      delta(0, "a\nb"),
      { kind: "part-end", index: 0 },
    ]);
    expect(book.restore(delta(1, " "))).toEqual([delta(1, " ")]);
  });

  test("keeps nothing of an answer that was given up when the next one begins", () => {
    const { book } = toolBook(asked([custom("patch")]), NOTHING);
    const [start] = unfoldReply(answer());
    book.restore({
      kind: "part-start",
      index: 0,
      part: { kind: "tool-call", id: "c", name: "patch", tool: "function", namespace: null },
    });
    book.restore({ kind: "part-delta", index: 0, text: "old" });
    if (start !== undefined) book.restore(start);
    const text: ReplyEvent = { kind: "part-delta", index: 0, text: "new" };
    expect(book.restore(text)).toEqual([text]);
  });

  test("leaves tools of the provider's own as they are", () => {
    const hosted: Tool = { kind: "hosted", type: "web_search", name: null };
    expect(toolBook(asked([hosted, custom("patch")]), NOTHING).prompt.tools[0]).toBe(hosted);
  });
});
