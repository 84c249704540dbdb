/** Arguments of commands that execute a kernel with arguments made up. */
import { dirname, join } from "node:path";
import type { Preconditions } from "../simulate/tensor/arguments.js";
import type { ValidateOptions } from "../simulate/validate.js";
import type { Io } from "./io.js";

/** As given on the command line. */
export interface SimulationArgs {
  /** `NAME=VALUE` of scalar arguments. */
  readonly arg: readonly string[];
  /** `X,Y,Z` */
  readonly grid: string | undefined;
  readonly program: readonly string[];
  readonly seed: readonly string[];
  readonly maxSteps: string | undefined;
}

/** What they mean, with the preconditions in `args.json` beside the input; or what is wrong. */
export function simulationOptions(input: string, args: SimulationArgs, io: Io): ValidateOptions | { readonly error: string } {
  const stated = preconditionsBeside(input, io);
  if ("error" in stated) return stated;
  const scalars: Record<string, number> = { ...stated.scalars };
  for (const text of args.arg) {
    const [, name, value] = /^([^=]+)=(-?[\d.]+(?:e-?\d+)?)$/i.exec(text) ?? [];
    if (name === undefined) return { error: `--arg expects NAME=NUMBER, not '${text}'` };
    scalars[name] = Number(value);
  }
  const grid = args.grid === undefined ? undefined : numbersOf(args.grid);
  if (args.grid !== undefined && !grid) return { error: `--grid expects X,Y,Z, not '${args.grid}'` };
  const programs: number[][] = [];
  for (const text of args.program) {
    const place = numbersOf(text);
    if (!place) return { error: `--program expects X,Y,Z, not '${text}'` };
    programs.push([place[0] ?? 0, place[1] ?? 0, place[2] ?? 0]);
  }
  const seeds = args.seed.map(Number);
  if (seeds.some((s) => !Number.isInteger(s))) return { error: `--seed expects an integer, not '${args.seed.join(" ")}'` };
  const maxSteps = args.maxSteps === undefined ? undefined : Number(args.maxSteps);
  if (maxSteps !== undefined && !(maxSteps > 0)) return { error: `--max-steps expects a number above 0, not '${args.maxSteps}'` };
  return {
    preconditions: { ...stated, scalars },
    ...(grid ? { grid } : {}),
    ...(programs.length > 0 ? { programs } : {}),
    ...(seeds.length > 0 ? { seeds } : {}),
    ...(maxSteps === undefined ? {} : { limits: { maxSteps } }),
  };
}

const numbersOf = (text: string): number[] | undefined => (/^\d+(?:[,x]\d+){0,2}$/.test(text) ? text.split(/[,x]/).map(Number) : undefined);

/** `NAME.args.json`, or `args.json`, in the folder of the input. */
export function preconditionsBeside(input: string, io: Io): Preconditions | { readonly error: string } {
  if (input === "-") return {};
  for (const path of [input.replace(/\.[^./]*$/, ".args.json"), join(dirname(input), "args.json")]) {
    let text: string;
    try {
      text = io.readFile(path);
    } catch {
      continue;
    }
    try {
      return JSON.parse(text) as Preconditions;
    } catch (error) {
      return { error: `'${path}' is no JSON: ${(error as Error).message}` };
    }
  }
  return {};
}
