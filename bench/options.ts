import { parseArgs } from "node:util";

export type Options = {
  rounds: number;
  secondsPerRound: number;
  resultFile: string;
  check: boolean;
  help: boolean;
};

export const usage = `npm run bench -- [--quick] [--check] [--json FILE]

  --quick      2 rounds of 1 s instead of 5 rounds of 3 s
  --check      exit code 1 when a target does not hold
  --json FILE  where the figures go, instead of bench/results/latest.json
`;

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
      json: { type: "string", default: `${import.meta.dir}/results/latest.json` },
    },
  });
  return {
    rounds: values.quick ? 2 : 5,
    secondsPerRound: values.quick ? 1 : 3,
    resultFile: values.json,
    check: values.check,
    help: values.help,
  };
}
