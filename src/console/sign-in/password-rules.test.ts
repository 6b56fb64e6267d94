import { describe, expect, test } from "bun:test";
import { passwordProblem } from "./password-rules.ts";

const about = { email: "ann.smith@example.org" };

describe("a new password", () => {
  const GOOD = [
    "a quiet wicket in the wall",
    "correct horse battery staple",
    "k7#Lp2@vQ9zR",
    "小门在大门里面开着呢今天",
    "tr4velling-by-night",
    "xxxylophone and drums",
    "éééclair au chocolat",
  ];
  for (const password of GOOD) {
    test(`“${password}” will do`, () => expect(passwordProblem(password, about)).toBeNull());
  }

  const BAD: [password: string, says: string][] = [
    ["", "at least 10"],
    ["short one", "at least 10"],
    ["🔑🔑🔑🔑🔑🔑🔑🔑🔑", "at least 10"],
    ["password12", "tried first"],
    ["P@ssw0rd!!", "tried first"],
    ["1234567890", "tried first"],
    ["0987654321", "tried first"],
    ["abcdefghijkl", "tried first"],
    ["aaaaaaaaaaaaaaa", "tried first"],
    ["abcabcabcabc", "tried first"],
    ["qwertyuiop", "tried first"],
    ["Wicketgate1!", "tried first"],
    ["wicketgate", "tried first"],
    ["LetMeInNow", "tried first"],
    ["ann.smith@example.org", "your e-mail"],
    ["Ann.Smith123", "your e-mail"],
    ["x".repeat(2000), "1,024 bytes"],
  ];
  for (const [password, says] of BAD) {
    test(`“${password.slice(0, 30)}” will not: ${says}`, () => {
      expect(passwordProblem(password, about) ?? "").toContain(says);
    });
  }
});
