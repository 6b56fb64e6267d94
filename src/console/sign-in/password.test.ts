import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { argon2, type PasswordWork, passwordKeeper } from "./password.ts";

/** Counts the work instead of doing it. */
function counted(isRight = false) {
  const done = { hash: 0, verify: 0, atOnce: 0, most: 0 };
  const turns: (() => void)[] = [];
  const wait = async () => {
    done.atOnce += 1;
    done.most = Math.max(done.most, done.atOnce);
    await new Promise<void>(resolve => turns.push(resolve));
    done.atOnce -= 1;
  };
  const work: PasswordWork = {
    hash: async () => {
      done.hash += 1;
      await wait();
      return "hash";
    },
    verify: async () => {
      done.verify += 1;
      await wait();
      return isRight;
    },
  };
  return { work, done, finish: () => turns.shift()?.() };
}

describe("passwords", () => {
  test("are kept as argon2id of OWASP's strength, salted", async () => {
    const keeper = passwordKeeper(randomBytes);
    const [one, other] = [await keeper.hash("a quiet wicket"), await keeper.hash("a quiet wicket")];
    expect(one).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(one).not.toBe(other);
    expect(await keeper.verify("a quiet wicket", one)).toBe(true);
    expect(await keeper.verify("a quiet wicked", one)).toBe(false);
  });

  test("cost one comparison each, whether there is a hash to compare with or not", async () => {
    for (const hash of ["$argon2id$something", null]) {
      const { work, done, finish } = counted(true);
      const answer = passwordKeeper(randomBytes, work).verify("any", hash);
      finish();
      expect(await answer).toBe(hash !== null);
      expect(done).toMatchObject({ verify: 1, hash: 0 });
    }
  });

  test("that are nobody's are compared with a hash that is real work", async () => {
    const seen: string[] = [];
    const work: PasswordWork = {
      ...argon2,
      verify: (password, hash) => {
        seen.push(hash);
        return argon2.verify(password, hash);
      },
    };
    expect(await passwordKeeper(randomBytes, work).verify("any", null)).toBe(false);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{43}\$[\w+/]{43}$/);
  });

  test("are worked on two at once, some wait, and the rest is told to come back", async () => {
    const { work, done, finish } = counted();
    const keeper = passwordKeeper(randomBytes, work);
    const answers = Array.from({ length: 60 }, () =>
      keeper.verify("any", "hash").catch((error: Error) => error),
    );
    await Bun.sleep(1);
    expect(done).toMatchObject({ verify: 2, most: 2 });
    let ended = 0;
    for (const answer of answers) void answer.then(() => (ended += 1));
    while (ended < answers.length) {
      finish();
      await Bun.sleep(0);
    }
    const results = await Promise.all(answers);
    const refused = results.filter(result => result instanceof Error);
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({ code: "unavailable", retryAfterSeconds: 5 });
    expect(done).toMatchObject({ verify: 52, most: 2, atOnce: 0 });
  });
});
