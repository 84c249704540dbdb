/** `tt-step limits INPUT`: what limits a kernel on a GPU, without one; with `--sweep`, configurations ranked by it. */

import type { Source } from "../compile/source.js";
import { productCalled } from "../gpu/products.js";
import { type LimitsQuestion, limitsAndTrace } from "../limits/ask.js";
import { type GridOf, readGrid } from "../limits/grid.js";
import { movesOf, movesText } from "../limits/moves.js";
import { roofline } from "../limits/roofline.js";
import { pruningJson, type SweepAxis, sweeping, sweepText } from "../limits/sweep.js";
import { limitsText } from "../limits/text.js";
import { toJson } from "../trace/json.js";
import type { Trace } from "../trace/trace.js";
import { EXIT, type Io, watched } from "./io.js";
import { readLaunchFile } from "./launch-file.js";
import { withMachineCode } from "./machine-code.js";
import { dashed, kebab } from "./options/option.js";
import { factsText, firstStageOf, otherInput, sidesOf } from "./tt-step-against.js";
import { type LineOf, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { everywhere } from "./tt-step-compile.js";
import { readInput } from "./tt-step-input.js";
import { deliver, refuse, usage } from "./tt-step-output.js";

type Given = LineOf<"limits">["values"];

/** Files and advice about one launch. */
const OF_ONE_LAUNCH = ["trace", "roofline", "whatIf"] as const;

export async function limitsMain({ words, values: given, written }: LineOf<"limits">, io: Io): Promise<number> {
  const [path, more] = words;
  if (path === undefined || more !== undefined) return usage(io, "limits expects one input. Try: tt-step limits --help");
  const values = withLaunch(given, io);
  if ("error" in values) return usage(io, values.error);
  const {
    gpu,
    arg: _arg,
    shape: _shape,
    grid: _grid,
    ptxas: _ptxas,
    sweep: _sweep,
    roofline: _roofline,
    trace: _trace,
    launch: _launch,
    against,
    whatIf: _whatIf,
    json,
    ...rest
  } = values;
  const target = gpu === undefined ? undefined : productCalled(gpu)!.target;
  const args = stepArgs({ ...rest, target: rest.target ?? target }, written, path, (input) => ["limits", input]);
  if ("error" in args) return usage(io, args.error);
  const input = readInput(path, io, args);
  if (input.kind === "error") return refuse(input, io);
  const unused = withoutEffect(input, path, args);
  if (unused !== undefined) return usage(io, unused);
  if (input.kind !== "module")
    return usage(io, `'${path}' was compiled elsewhere, without its source: limits compiles TTIR, TTGIR or a Python kernel`);
  const question: Omit<LimitsQuestion, "grid"> = {
    args: Object.fromEntries(values.arg),
    shapes: Object.fromEntries(values.shape),
    gpu,
    // Costs need no texts of the LLVM dialect.
    compile: { ...everywhere(args, io), record: (against ?? values.trace ?? values.whatIf) ? "texts" : "ttgir" },
    assembled: values.ptxas ? (trace) => withMachineCode(trace, io) : undefined,
  };
  const grid = gridOf(values, input);
  if ("error" in grid) return usage(io, grid.error);
  const [clash] = against !== undefined || values.sweep.length > 0 ? OF_ONE_LAUNCH.filter((name) => values[name]) : [];
  if (clash !== undefined) return usage(io, `${dashed(kebab(clash))} is about one launch: it goes with neither --against nor --sweep`);
  if (against !== undefined && (values.sweep.length > 0 || json))
    return usage(io, "--against compares two launches: it goes with neither --sweep nor --json");
  if (values.sweep.length > 0) return sweep(input, { ...question, grid }, values, args, io);
  const numbers = numbersOf(input, values);
  const extents = grid(numbers);
  if ("error" in extents) return usage(io, extents.error);
  const made = limitsAndTrace(input, { ...question, grid: extents });
  if (made.kind === "error") return refuse(made, io);
  const { limits: found, trace } = made;
  const moves = values.whatIf
    ? movesOf(input, trace, found, { ...question, gridOf: (constants) => grid(new Map([...numbers, ...constants])) })
    : undefined;
  if (against !== undefined) return compare(trace, input, { ...question, grid }, { ...args, against }, values, io);
  if (values.trace !== undefined) io.writeFile(values.trace, toJson(trace));
  if (values.roofline !== undefined) {
    const drawn = roofline(found, values.roofline);
    if ("error" in drawn) return usage(io, drawn.error);
    io.writeFile(values.roofline, drawn.text);
  }
  const text = json
    ? `${JSON.stringify({ ...found, moves }, undefined, 1)}\n`
    : `${limitsText(found)}${moves ? `\n${movesText(found, moves)}` : ""}`;
  return deliver(text, args, io);
}

/** The launch of `--launch` as if it were given by --grid, --arg and --shape, which may change it. */
function withLaunch(given: Given, io: Io): Given | { readonly error: string } {
  if (given.launch === undefined) return given;
  const launch = readLaunchFile(given.launch, io);
  if ("error" in launch) return launch;
  const numbers = launch.args.flatMap(({ name, argument }) =>
    argument.kind === "scalar" ? [[name, Number(argument.value)] as const] : [],
  );
  // The last of two values for a name holds.
  const shapes = launch.args.flatMap(({ name, array }) => (array && !array.strides ? [[name, array.shape] as const] : []));
  return {
    ...given,
    grid: given.grid ?? launch.grid.join(","),
    arg: [...numbers, ...given.arg],
    shape: [...shapes, ...given.shape],
  };
}

/** The facts and costs in which the same launch differs with another input or option. */
function compare(
  trace: Trace,
  input: ModuleInput,
  { grid: _, ...question }: Omit<LimitsQuestion, "grid"> & { readonly grid: GridOf },
  args: TtStepArgs,
  values: Given,
  io: Io,
): number {
  const other = otherInput(input, args, firstStageOf(trace), io);
  if ("error" in other) return usage(io, other.error);
  if (other.input.kind !== "module") return usage(io, `'${args.against}' was compiled elsewhere, without its source`);
  const grid = gridOf(values, other.input);
  if ("error" in grid) return usage(io, grid.error);
  const extents = grid(numbersOf(other.input, values));
  if ("error" in extents) return usage(io, extents.error);
  const made = limitsAndTrace(other.input, { ...question, grid: extents });
  if (made.kind === "error") return refuse(made, io);
  const { text, differ } = factsText(sidesOf(trace, made.trace, args, io));
  io.stdout.write(text);
  return differ ? EXIT.difference : EXIT.ok;
}

type ModuleInput = Extract<Source, { readonly kind: "module" }>;

/** The grid as given, or as the input's own file launches the kernel. */
function gridOf({ grid }: Given, input: ModuleInput): GridOf | { readonly error: string } {
  if (grid !== undefined) return readGrid(grid);
  const own = input.python?.grid;
  const missing = "the costs depend on how many programs there are: --grid X,Y,Z, or expressions: --grid 'cdiv(M, BLOCK_M), batch'";
  return own ? (numbers) => own(numbers) ?? { error: missing } : { error: missing };
}

/** The numbers of a launch: those given, and the kernel's constants. */
function numbersOf({ python }: ModuleInput, { arg }: Given): ReadonlyMap<string, number> {
  const constants = (python?.proposal.entries ?? []).flatMap(({ name, text }) =>
    /^-?\d+$/.test(text) ? [[name, Number(text)] as const] : [],
  );
  return new Map([...constants, ...arg]);
}

async function sweep(
  input: ModuleInput,
  { grid, ...question }: Omit<LimitsQuestion, "grid"> & { readonly grid: GridOf },
  values: Given,
  args: TtStepArgs,
  io: Io,
): Promise<number> {
  const numbers = numbersOf(input, values);
  const axes: readonly SweepAxis[] = values.sweep;
  const { value: found, interrupted } = await watched(
    sweeping(input, { ...question, axes, gridOf: (constants) => grid(new Map([...numbers, ...constants])) }),
    io,
  );
  if (found.kind === "error") return refuse(found, io);
  if (interrupted) io.stderr.write("tt-step: interrupted: the configurations that were left are not ranked\n");
  return deliver(values.json ? `${JSON.stringify(pruningJson(found), undefined, 1)}\n` : sweepText(found), args, io);
}
