/** Arguments of commands that execute a kernel with arguments made up. */
import type { ValidateOptions } from "../simulate/validate.js";
import type { Io } from "./io.js";
import { preconditionsBeside, preconditionsText } from "./preconditions-file.js";

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

/** `report` says what was stated beside the input. */
export interface SimulationOptions extends ValidateOptions {
  readonly report: string;
}

/** What they mean, with the preconditions in `args.json` beside the input; or what is wrong. */
export function simulationOptions(input: string, args: SimulationArgs, io: Io): SimulationOptions | { readonly error: string } {
  const stated = preconditionsBeside(input, io);
  if ("error" in stated) return stated;
  const scalars: Record<string, number> = { ...stated.preconditions.scalars };
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
    preconditions: { ...stated.preconditions, scalars },
    report: preconditionsText(stated),
    ...(grid ? { grid } : {}),
    ...(programs.length > 0 ? { programs } : {}),
    ...(seeds.length > 0 ? { seeds } : {}),
    ...(maxSteps === undefined ? {} : { limits: { maxSteps } }),
  };
}

const numbersOf = (text: string): number[] | undefined => (/^\d+(?:[,x]\d+){0,2}$/.test(text) ? text.split(/[,x]/).map(Number) : undefined);
