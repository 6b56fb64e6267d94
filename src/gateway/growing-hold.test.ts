import { describe, expect, test } from "bun:test";
import { refusal } from "../domain/errors.ts";
import type { Extension, ExtensionRequest } from "../store/store.ts";
import type { Content } from "./count-tokens.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { GrowingHold } from "./growing-hold.ts";

type Setting = {
  granted: number;
  held: number;
  extend?: (asked: ExtensionRequest) => Promise<Extension>;
  /** Bytes to a token, as the tokenizer finds. */
  bytesPerToken?: number;
};

/** A hold whose stream does nothing but write down what it is told. */
function holding({ granted, held, extend = gives, bytesPerToken = 4 }: Setting) {
  const told: string[] = [];
  const asked: number[] = [];
  let counts = 0;
  const flight = {
    id: "req_1",
    admitted: { outputTokens: granted, heldTokens: held, loweredBy: null },
    way: { quote: { basePicos: 0n, outputPicos: 1n } },
    countTokens: async ({ bytes }: Content) => {
      counts += 1;
      return { input: 1, output: Math.ceil(bytes / bytesPerToken) };
    },
  } as unknown as Flight;
  const store = {
    extend: (request: ExtensionRequest) => {
      asked.push(request.outputTokens);
      return extend(request);
    },
  };
  const hold = new GrowingHold(flight, { store } as unknown as Gate, {
    wait: () => void told.push("wait"),
    goOn: () => void told.push("go on"),
    end: reason => void told.push(`end: ${reason}`),
  });
  const deliver = async (tokens: number) => {
    hold.delivered({ bytes: tokens * 4, sample: new Uint8Array() });
    await Bun.sleep(0);
  };
  return { hold, told, asked, counts: () => counts, deliver };
}

const gives = async ({ outputTokens }: ExtensionRequest): Promise<Extension> => {
  return { heldTokens: outputTokens, refusal: null };
};
const refuses = async (): Promise<Extension> => {
  return { heldTokens: -1, refusal: refusal("balance_exhausted") };
};

describe("a hold", () => {
  test("is made longer before it is used up, by half, and the stream does not wait", async () => {
    const { told, asked, deliver } = holding({ granted: 50_000, held: 4_096 });
    for (let tokens = 100; tokens <= 40_000; tokens += 100) await deliver(tokens);
    expect(asked).toEqual([8_192, 12_288, 18_432, 27_648, 41_472, 50_000]);
    expect(told).toEqual([]);
  });

  test("takes as many steps as one large piece needs, and only then lets the next one come", async () => {
    const { hold, told, asked, deliver } = holding({ granted: 50_000, held: 4_096 });
    await deliver(20_000);
    expect(asked).toEqual([8_192, 12_288, 18_432, 27_648]);
    expect(told).toEqual(["wait", "go on"]);
    expect(hold.heldTokens).toBe(27_648);
  });

  test("that is refused ends the stream when it is used up by count, and not by guess", async () => {
    const { told, asked, counts, deliver } = holding({
      granted: 50_000,
      held: 4_096,
      extend: refuses,
      bytesPerToken: 8,
    });
    for (let tokens = 100; tokens <= 8_100; tokens += 100) await deliver(tokens);
    expect(told.filter(word => word.startsWith("end"))).toEqual([]);
    expect(counts()).toBeWithin(1, 4);
    expect(asked.length).toBe(counts() + 1);
    await deliver(9_000);
    expect(told.at(-1)).toBe("end: balance_exhausted");
  });

  test("that is refused at first and given later goes on", async () => {
    let isEmpty = true;
    const { told, deliver } = holding({
      granted: 50_000,
      held: 4_096,
      extend: request => (isEmpty ? refuses() : gives(request)),
    });
    await deliver(3_000);
    isEmpty = false;
    await deliver(4_100);
    await deliver(6_000);
    expect(told).toEqual(["wait", "go on"]);
  });

  test("goes on without the database", async () => {
    const extend = () => Promise.reject(new Error("away"));
    const { told, asked, deliver } = holding({ granted: 50_000, held: 4_096, extend });
    for (let tokens = 1_000; tokens <= 50_000; tokens += 1_000) await deliver(tokens);
    expect(asked).toHaveLength(1);
    expect(told).toEqual([]);
  });

  test("of all that was granted is the upstream's own matter, up to half more", async () => {
    const { told, counts, deliver } = holding({ granted: 1_000, held: 1_000 });
    await deliver(1_499);
    expect({ told, counts: counts() }).toEqual({ told: [], counts: 0 });
    await deliver(1_500);
    expect(told).toEqual(["wait", "end: length"]);
  });
});
