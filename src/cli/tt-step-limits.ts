/** `tt-step limits INPUT`: what limits a kernel on a GPU, without one; with `--sweep`, configurations ranked by it. */

import type { Source } from "../compile/source.js";
import { productCalled } from "../gpu/products.js";
import { type LimitsQuestion, limitsAndTrace } from "../limits/ask.js";
import { type GridOf, readGrid } from "../limits/grid.js";
import { movesOf, movesText } from "../limits/moves.js";
import { roofline } from "../limits/roofline.js";
import { pruningJson, type SweepAxis, sweeping, sweepText } from "../limits/sweep.js";
import { limitsText } from "../limits/text.js";
import { type Io, watched } from "./io.js";
import { withMachineCode } from "./ptxas.js";
import { type LineOf, stepArgs, type TtStepArgs, withoutEffect } from "./tt-step-args.js";
import { everywhere } from "./tt-step-compile.js";
import { readInput } from "./tt-step-input.js";
import { deliver, refuse, usage } from "./tt-step-output.js";

type Given = LineOf<"limits">["values"];

export async function limitsMain({ words, values, written }: LineOf<"limits">, io: Io): Promise<number> {
  const [path, more] = words;
  if (path === undefined || more !== undefined) return usage(io, "limits expects one input. Try: tt-step limits --help");
  const {
    gpu,
    arg: _arg,
    shape: _shape,
    grid: _grid,
    ptxas: _ptxas,
    sweep: _sweep,
    roofline: _roofline,
    whatIf: _whatIf,
    json,
    ...rest
  } = values;
  const target = gpu === undefined ? undefined : `cuda:${productCalled(gpu)!.capability}`;
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
    compile: everywhere(args, io),
    assembled: values.ptxas ? (trace) => withMachineCode(trace, io) : undefined,
  };
  const grid = gridOf(values, input);
  if ("error" in grid) return usage(io, grid.error);
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
