export type ExpandEnvironment = Readonly<Record<string, string | undefined>>;

export type Expanded = { text: string } | { problems: string[] };

const UNFINISHED = `a $\{ is not followed by the name of a variable and }: write $$\{ for the characters themselves`;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `${NAME}` becomes the variable's value; `$${` stands for `${` itself; any other dollar sign is only that. */
export function expandVariables(text: string, environment: ExpandEnvironment): Expanded {
  const problems: string[] = [];
  const expanded = text.replace(
    /\$\$\{|\$\{([^}]*)(\}?)/g,
    (whole, name: string | undefined, end: string) => {
      if (name === undefined) return "${";
      if (end === "" || !NAME.test(name)) {
        problems.push(UNFINISHED);
        return whole;
      }
      const value = environment[name];
      if (value === undefined || value === "")
        problems.push(`the environment variable ${name} is not set, or is empty`);
      return value ?? "";
    },
  );
  return problems.length === 0 ? { text: expanded } : { problems };
}
