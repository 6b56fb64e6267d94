import { ConsoleProblem } from "../api/problem.ts";

const CHARACTERS_MIN = 10;
const BYTES_MAX = 1024;

/** The stems of what people choose most where ten characters are asked for; digits and signs around them add nothing. */
const COMMON_STEMS: ReadonlySet<string> = new Set(
  `password passwort passw0rd p@ssw0rd p@ssword passwordpassword mypassword changeme changemenow letmein letmeinnow
  welcome welcomeback qwerty qwertyuiop qwertyuio qwertzuiop azertyuiop asdfghjkl asdfghjkll zxcvbnm qazwsxedc
  qazwsxedcrfv iloveyou iloveyouu ilovegod trustno administrator admin adminadmin superuser root rootroot master
  football baseball basketball superman batman starwars pokemon princess sunshine dragon monkey shadow michael
  jordan liverpool chelsea arsenal barcelona computer internet samsung google facebook whatever freedom blink
  charlie computer secret secretsecret default guest testtest testing tester test qweasdzxc woaini wocaonima
  aini nihao wicketgate gateway wicket`
    .split(/\s+/)
    .filter(word => word !== ""),
);

/** Null where it will do; else what is wrong with it, as a sentence. */
export function passwordProblem(password: string, { email }: { email: string }): string | null {
  const normal = password.normalize("NFKC");
  if (Buffer.byteLength(normal) > BYTES_MAX) return "The password is longer than 1,024 bytes.";
  if ([...normal].length < CHARACTERS_MIN) {
    return `The password needs at least ${CHARACTERS_MIN} characters; a few unrelated words are good.`;
  }
  const small = normal.toLowerCase();
  const own = [email, email.split("@")[0] ?? ""].map(text => text.toLowerCase());
  const bare = small.replace(/[^\p{L}]+/gu, "");
  const isOwn = own.some(
    text => text.length >= 3 && (small === text || bare === text.replace(/[^\p{L}]+/gu, "")),
  );
  if (isOwn) return "The password is your e-mail address; choose something that is not known of you.";
  const isCommon = COMMON_STEMS.has(small) || COMMON_STEMS.has(bare) || COMMON_STEMS.has(plainLetters(small));
  if (isCommon || isPattern(small)) {
    return "This password is among those that are tried first; choose another, such as a few unrelated words.";
  }
  return null;
}

/** Signs and digits that stand for letters, read as those. */
function plainLetters(text: string): string {
  const stands: Record<string, string> = {
    "0": "o",
    "1": "i",
    "3": "e",
    "4": "a",
    "5": "s",
    "7": "t",
    "@": "a",
    $: "s",
  };
  return [...text]
    .map(character => stands[character] ?? character)
    .join("")
    .replace(/[^\p{L}]+/gu, "");
}

/** One short piece again and again, or a run up or down the alphabet or the digits. */
function isPattern(text: string): boolean {
  if (/^(.{1,4})\1+.{0,3}$/u.test(text)) return true;
  const codes = [...text].map(character => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, at) => code - (codes[at] ?? 0));
  const runs = steps.filter(step => Math.abs(step) === 1 || step === 0 || step === -9).length;
  return runs >= steps.length - 1;
}

export function demandGoodPassword(password: string, about: { email: string }): void {
  const problem = passwordProblem(password, about);
  if (problem === null) return;
  throw new ConsoleProblem("invalid", problem, { fields: [{ path: "password", message: problem }] });
}
