/**
 * The Trace: what a compilation did, step by step, as plain serialisable data. The terminal UI, the one-shot printers,
 * the snapshot check and the exporters read only this. Lines of text are kept once however often they occur; a step
 * refers to them by number, and each line carries the id of the op on it.
 */

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { renderDiagnostic } from "../diagnostics/render.js";
import type { LayoutName } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { noPassCalled, passCalled } from "../pass/pass-name.js";
import type { Remark, RemarkRef } from "../pass/remark.js";
import type { LineTable, StepText } from "./line-table.js";
import type { OpLocations } from "./op-locations.js";
import type { Stage } from "./stage.js";

/** A compilation, step by step. */
export interface Trace {
  readonly source: { readonly name: string; readonly kind: string };
  /** `cuda:80`, where known. */
  readonly target: string | undefined;
  /** The version of Triton that was followed; absent from imported dumps. */
  readonly triton?: string;
  /** Set where the kernel is Gluon's: no pass chooses layouts, so a product of matrices is computed as its layout says. */
  readonly language?: "gluon";
  readonly options: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  readonly diagnostics: readonly Diagnostic[];
  readonly lines: LineTable;
  /** Where in the Python source ops are. */
  readonly locations: OpLocations;
  /** The values that the input's own text has names for, without `%`; only of a compilation that was run here. */
  readonly names?: ReadonlyMap<string, RemarkRef>;
  /** The names that a Gluon kernel gives to layouts, by `layoutKey`; only of a compilation that was run here. */
  readonly layoutNames?: ReadonlyMap<string, readonly LayoutName[]>;
  /** Messages about parts of an imported dump that could not be read, and where they are. */
  readonly warnings: readonly string[];
  /** Texts made after the last step (LLVM IR, PTX), if they were requested and the module is in the LLVM dialect. */
  readonly artifacts: Artifacts;
}

/** The machine code that NVIDIA's assembler makes from the PTX, or LLVM from the LLVM IR for AMD. */
export interface MachineCode {
  /** Registers of a thread; AMD's vector registers, accumulators included. */
  readonly registers: number;
  /** Bytes of a thread that are stored to and loaded from local memory because there are too few registers. */
  readonly spilled: number;
  /** The disassembly, absent where no disassembler was found; AMD's assembly in the UI alone. */
  readonly sass?: readonly SassLine[];
  /** More of AMD's: registers of a wave, and bytes. */
  readonly wave?: {
    readonly accumulators: number;
    readonly scalars: number;
    readonly spilledScalars: number;
    /** Memory of a lane for spills and arrays. */
    readonly scratch: number;
    /** Shared memory besides what the launch asks for. */
    readonly lds: number;
  };
}
/** An instruction or label of machine code. */
export interface SassLine {
  readonly text: string;
  /** The line of the PTX that it is from, counted from 1; absent where that is not known. */
  readonly ptx?: number;
}

/** Texts made after the IR: LLVM IR as it is before LLVM's own passes, and our PTX. */
export interface Artifacts {
  readonly llir?: string;
  readonly ptx?: string;
  /** The LLVM dialect of an AMD kernel as the text that is executed thread by thread, in place of PTX. */
  readonly executable?: string;
  /** By the id of an op of the last step: its instructions in PTX, where they are not just what its text says. */
  readonly instructions?: Readonly<Record<number, readonly string[]>>;
  /** Only where an assembler was found and asked. */
  readonly machine?: MachineCode;
  /** Only where a launch was given: what it costs. */
  readonly costs?: LaunchCosts;
}

/** The costs of a launch on a GPU, by name: those of one program, and `bound`, the least time of the launch in seconds. */
export interface LaunchCosts {
  /** A name of `GPU_PRODUCTS`. */
  readonly gpu: string;
  readonly grid: readonly number[];
  readonly figures: Readonly<Record<string, number>>;
}

export type StepKind = "source" | "pass" | "internal";
/** The IR after one pass, and what the pass did. */
export interface Step {
  readonly index: number;
  /** As `--list` shows it: `8`, or `8.1` for a pass run by a pass. */
  readonly label: string;
  readonly kind: StepKind;
  readonly parent: number | undefined;
  /** The op it ran on: `builtin.module`, and the symbol when it is a function. */
  readonly op: string;
  readonly symbol: string | undefined;
  readonly stage: Stage;
  /** `TritonGPUCoalesce` */
  readonly pass: string;
  /** `tritongpu-coalesce` */
  readonly flag: string;
  readonly options: string;
  /** Which top-level run of that flag: `canonicalize#3`. */
  readonly run: number;
  readonly changed: boolean;
  /** False where a dump ends before it shows the IR after this step; `text` is then the last that is known. */
  readonly known: boolean;
  /** Milliseconds; undefined for an imported step. */
  readonly ms: number | undefined;
  readonly statistics: Readonly<Record<string, number>>;
  /** Rewrites applied: pattern (index into `patterns`), op rewritten, number of new ops, their ids. */
  readonly rewrites: Int32Array;
  readonly patterns: readonly string[];
  /** Pairs (op, op it came from) of the ops that are new in this step. */
  readonly origins: Int32Array;
  /** Why the pass did what it did; none in an imported step. */
  readonly remarks: readonly Remark[];
  readonly verified: boolean;
  readonly numOps: number;
  readonly text: StepText;
}

/** The number of ops in and including `root`. */
export function countOps(root: Operation): number {
  let count = 0;
  root.walk(() => {
    count++;
  });
  return count;
}

/** The banner that the printed IR of a step begins with, as upstream's. */
export function stepBanner(step: Step): string {
  const symbol = step.symbol === undefined ? "" : `: @${step.symbol}`;
  if (step.kind === "source") return `// -----// IR Source ('${step.op}' operation${symbol}) //----- //`;
  if (step.kind === "internal") return `// -----// IR Dump ${step.pass}: ${step.flag} ('${step.op}' operation${symbol}) //----- //`;
  const failed = step.verified ? "" : " Failed";
  return `// -----// IR Dump After ${step.pass}${failed} (${step.flag}) ('${step.op}' operation${symbol}) //----- //`;
}

/** A step's flag, with the run from the second on: `canonicalize#2`. */
export const runName = ({ flag, run }: Pick<Step, "flag" | "run">): string => (run > 1 ? `${flag}#${run}` : flag);

/** The errors of the pass that failed, one text each: `file:line:column: error: message [code]`, and its notes likewise. */
export function failuresOf({ diagnostics }: Trace): readonly string[] {
  // Errors in the texts made after the last pass belong to no pass.
  return diagnostics.filter((d) => d.severity === "error" && d.code !== "target.op").map((d) => renderDiagnostic(d, []).trimEnd());
}

/** Finds a step by `PASS`: an index or label, a flag (its first run), a part of a flag that only one has, or `flag#run`. */
export function findStep(trace: Trace, spec: string): Step | undefined {
  if (/^\d+(\.\d+)*$/.test(spec)) return trace.steps.find((s) => s.label === spec);
  const [name = "", run] = spec.split("#");
  const passes = passSteps(trace);
  const flag = passes.find((s) => s.pass === name)?.flag ?? passCalled(name, flagsOf(passes));
  return passes.find((s) => s.flag === flag && s.run === Number(run ?? 1));
}

/** Why `findStep` finds no step, in one line. */
export function noStep(trace: Trace, spec: string): string {
  const [name = "", run] = spec.split("#");
  if (/^\d+(\.\d+)*$/.test(spec)) return `there is no step ${spec}: the last one is ${trace.steps.at(-1)?.label ?? "none"}`;
  const flags = flagsOf(passSteps(trace));
  const flag = passCalled(name, flags);
  return flag === undefined || run === undefined ? noPassCalled(name, flags) : `'${flag}' does not run ${run} times`;
}

/** The steps that are passes of the pipeline. */
const passSteps = ({ steps }: Trace): readonly Step[] => steps.filter((s) => s.kind !== "source" && s.parent === undefined);
const flagsOf = (steps: readonly Step[]): ReadonlySet<string> => new Set(steps.map((s) => s.flag));
