/**
 * The final code's use of memory, tensor cores and barriers: one fact for each kind of instruction that an op of
 * TTGIR became. Plain data; the codegen pane, `--codegen` and the snapshots draw from it.
 *
 *     %88 = tt.load %ptr, %mask      ->  4 x  @%p1 ld.global.v4.b32   16 bytes a thread, predicated
 */

import type { AmdGpu } from "../gpu/amd.js";
import { gpuCalled } from "../gpu/gpu.js";
import type { Step, Trace } from "../trace/trace.js";
import { readAmdAssembly } from "./codegen/amd-assembly.js";
import { AmdLines } from "./codegen/amd-lines.js";
import { readLine } from "./codegen/machine-lines.js";
import { readInstruction } from "./codegen/ptx-instruction.js";
import { constantOn, descriptorOf, readDescriptor } from "./codegen/tcgen05-descriptor.js";
import type { FactKind, InstructionFacts, MmaFacts } from "./instruction-facts.js";
import { ancestorIn, linesOfOps, locationOf, type SourcePosition } from "./provenance.js";

/** Instructions of one kind that one op of TTGIR became. */
export interface CodegenFact extends InstructionFacts {
  /** Instructions in the program text of one thread; loops are not unrolled in thought. */
  readonly count: number;
  /** 32-byte sectors of global memory that one warp-wide instruction touches; undefined where that is not known. */
  readonly sectorsPerWarp?: number;
  /** Rounds that shared memory needs for one warp-wide instruction, and without conflicts. */
  readonly wavefronts?: { readonly needed: number; readonly least: number };
  /** Id of the TTGIR op it came from, and the index of the step that shows it. */
  readonly op: number | undefined;
  readonly opStep: number | undefined;
  /** Where in the Python source. */
  readonly source: SourcePosition | undefined;
  /** Index of the step whose lines these are, and the lines. */
  readonly step: number;
  readonly lines: readonly number[];
  /** Why it is as it is, one sentence each; filled in by `explainFacts`. */
  readonly why: readonly string[];
}

/** The AMD GPU that it is compiled for: sectors and bank conflicts by NVIDIA's rules would be wrong. */
export const amdGpuOfTrace = ({ target = "" }: Trace): AmdGpu | undefined => gpuCalled(target)?.hip;

/** The last whole step that has machine instructions: PTX, else LLVM dialect, else LLVM IR. */
export function codegenStep(trace: Trace): Step | undefined {
  const known = trace.steps.filter((s) => s.known && s.verified && s.text.lines.length > 0);
  return (
    known.findLast((s) => s.stage !== "ptx" && s.flag !== "llir" && holds(trace, s, /\bllvm\.func\b/)) ??
    known.findLast((s) => s.flag === "ptx" || s.flag === "amdgcn") ??
    known.findLast((s) => s.flag === "llir")
  );
}

/** The last step of TTGIR: what the facts are tied to. */
export function lastTtgirStep(trace: Trace): Step | undefined {
  return trace.steps.findLast(
    (s) =>
      s.known &&
      s.kind !== "internal" &&
      holds(trace, s, /#(?:ttg|triton_gpu)\.|"?(?:ttg|triton_gpu)\.num-warps/) &&
      !holds(trace, s, /\bllvm\.func\b/),
  );
}

/** Whether one of the first lines of a step matches: aliases come before the module, functions soon after. */
function holds(trace: Trace, step: Step, pattern: RegExp): boolean {
  const { lines } = step.text;
  for (let i = 0; i < lines.length && i < 400; i++) if (pattern.test(trace.lines.line(lines[i]!))) return true;
  return false;
}

const cache = new WeakMap<Trace, readonly CodegenFact[]>();

/** The facts of a trace, in the order of the program text; empty where it holds no final code. */
export function codegenFacts(trace: Trace): readonly CodegenFact[] {
  let facts = cache.get(trace);
  if (!facts) cache.set(trace, (facts = findFacts(trace)));
  return facts;
}

function findFacts(trace: Trace): readonly CodegenFact[] {
  const step = codegenStep(trace);
  if (!step) return [];
  const ttgir = lastTtgirStep(trace);
  const owners = new Owners(trace, ttgir);
  interface Group {
    readonly first: InstructionFacts;
    readonly lines: number[];
    readonly op: number | undefined;
    readonly source: SourcePosition | undefined;
  }
  const groups = new Map<string, Group>();
  const positions = new PtxPositions();
  const constants = new Constants(trace, step);
  const amd = amdGpuOfTrace(trace);
  // A log says nothing of the LLVM that came after it.
  const packs = trace.triton !== undefined;
  const amdLines = amd && new AmdLines(amd);
  step.text.lines.forEach((number, line) => {
    const text = trace.lines.line(number);
    const isAssembly = step.flag === "amdgcn";
    if (step.flag === "ptx" || isAssembly) positions.read(text);
    const id = step.text.ops[line]!;
    const assembled = isAssembly ? readAmdAssembly(text) : undefined;
    const reads = isAssembly ? (assembled ? [assembled] : []) : amdLines?.read(text);
    for (const read of reads ?? factsOf(text, trace.artifacts.instructions?.[id], packs)) {
      const fact = read.mma?.family === "tcgen05" ? describe(read, read.mma, descriptorOf(text, constants.of)) : read;
      const source = id !== 0 ? locationOf(trace, id) : positions.current;
      const op = owners.of(id, source, fact);
      const where = (op === undefined ? undefined : locationOf(trace, op)) ?? source;
      const place = op ?? (where ? `${where.file}:${where.line}:${where.column}` : "");
      const predicate = fact.predicate?.replace(/[%$]?\d+/g, "") ?? "";
      const key = `${place} ${fact.instruction} ${fact.bytesPerThread} ${predicate}`;
      const group = groups.get(key);
      if (group) group.lines.push(line);
      else groups.set(key, { first: fact, lines: [line], op, source: where });
    }
  });
  return [...groups.values()].map(({ first, lines, op, source }) => ({
    ...first,
    count: lines.length,
    op,
    opStep: op === undefined ? undefined : ttgir?.index,
    source,
    step: step.index,
    lines,
    why: [],
  }));
}

/** The fact with what the instruction's descriptor adds. */
function describe(fact: InstructionFacts, mma: MmaFacts, descriptor: number | undefined): InstructionFacts {
  const described = descriptor === undefined ? undefined : readDescriptor(mma.types.a, descriptor);
  return described ? { ...fact, mma: { ...mma, ...described } } : fact;
}

/** The constants of a step's text, read when the first one is asked for. */
class Constants {
  #values: Map<string, number> | undefined;
  constructor(
    readonly trace: Trace,
    readonly step: Step,
  ) {}
  readonly of = (name: string): number | undefined => {
    this.#values ??= new Map(
      [...this.step.text.lines].flatMap((line) => [constantOn(this.trace.lines.line(line))].filter((c) => c !== undefined)),
    );
    return this.#values.get(name);
  };
}

/** The facts of a line's instructions, from the line itself or from the PTX that we made of it. */
function factsOf(line: string, instructions: readonly string[] | undefined, packs: boolean): readonly InstructionFacts[] {
  if (!instructions) return readLine(line, packs);
  return instructions.flatMap((name) => (name === "" ? readLine(line, packs) : (readInstruction(name) ?? [])));
}

/** The place that PTX's `.loc` directives last named. */
class PtxPositions {
  current: SourcePosition | undefined;
  readonly #files = new Map<string, string>();

  read(line: string): void {
    // AMD's assembly has the folder by itself.
    const [, number, path, name] = /^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?/.exec(line) ?? [];
    if (number !== undefined) this.#files.set(number, name === undefined || name.startsWith("/") ? (name ?? path!) : `${path}/${name}`);
    const loc = /^\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)/.exec(line);
    if (loc) this.current = { file: this.#files.get(loc[1]!) ?? loc[1]!, line: Number(loc[2]), column: Number(loc[3]) };
  }
}

/** Ops that become an instruction of a kind, by name. Barriers are put wherever they are needed. */
const OWNERS: Readonly<Partial<Record<FactKind, RegExp>>> = {
  "async-copy": /\b(?:async_copy_global_to_local|insert_slice_async|tmem_copy|buffer_load_to_local)\b/,
  tma: /\b(?:\w*tma\w*|\w*descriptor\w*|async_copy\w*)\b/,
  atomic: /\b(?:buffer_)?atomic/,
  mma: /\b(?:dot|warp_group_dot|tc_gen5_mma|\w*dot\w*)\b/,
  "matrix-load": /\b(?:local_load|local_alloc|convert_layout|dot\w*)\b/,
  "matrix-store": /\b(?:local_store|local_alloc|convert_layout)\b/,
  shuffle: /\b(?:reduce|scan|convert_layout|histogram|gather|warp_group_dot\w*)\b/,
};
const GLOBAL: Readonly<Partial<Record<FactKind, RegExp>>> = {
  load: /\b(?:tt\.load|buffer_load|gather|\w*descriptor\w*)\b/,
  store: /\b(?:tt\.store|buffer_store|scatter|\w*descriptor\w*)\b/,
};
const SHARED = /\b(?:convert_layout|local_\w+|reduce|scan|histogram|gather|atomic\w*|cat|alloc_tensor)\b/;

function mayOwn(fact: InstructionFacts, line: string): boolean {
  if (fact.kind === "load" || fact.kind === "store") {
    if (fact.space === "global") return GLOBAL[fact.kind]!.test(line);
    if (fact.space === "shared") return SHARED.test(line);
    return fact.space === "tensor" ? /\btmem_/.test(line) : true;
  }
  if (fact.instruction.startsWith("tcgen05.wait")) return /\btmem_/.test(line);
  if (fact.kind === "wait")
    return fact.instruction.startsWith("cp.async.commit") ? /\basync_commit/.test(line) : /\b\w*(?:wait|dot|mma)\w*\b/.test(line);
  return OWNERS[fact.kind]?.test(line) ?? true;
}

/** Finds the TTGIR op of an instruction: by origins, and where these are inferred, by the place in the source. */
/** Finds the op of a step that an instruction comes from. */
export class Owners {
  readonly #ops: ReadonlySet<number>;
  readonly #lines: ReadonlyMap<number, number>;
  #byPlace: Map<string, number[]> | undefined;

  constructor(
    readonly trace: Trace,
    readonly step: Step | undefined,
  ) {
    this.#lines = step ? linesOfOps(step.text) : new Map();
    this.#ops = new Set(this.#lines.keys());
  }

  of(id: number, source: SourcePosition | undefined, fact: InstructionFacts): number | undefined {
    const ancestor = id === 0 ? undefined : ancestorIn(this.trace, id, this.#ops);
    if (ancestor !== undefined && this.#ops.has(ancestor) && mayOwn(fact, this.line(ancestor))) return ancestor;
    const fitting = this.at(source).find((op) => mayOwn(fact, this.line(op)));
    return fitting ?? ancestor;
  }
  private line(op: number): string {
    const { trace, step } = this;
    const text = trace.lines.line(step!.text.lines[this.#lines.get(op)!]!);
    // The start of the line is enough for the op's name; types are not needed.
    return text.slice(0, 160);
  }
  private at(source: SourcePosition | undefined): readonly number[] {
    if (!source) return [];
    if (!this.#byPlace) {
      this.#byPlace = new Map();
      for (const op of this.#ops) {
        const at = locationOf(this.trace, op);
        if (!at) continue;
        const key = placeKey(at);
        const list = this.#byPlace.get(key);
        if (list) list.push(op);
        else this.#byPlace.set(key, [op]);
      }
    }
    return this.#byPlace.get(placeKey(source)) ?? [];
  }
}
/** PTX names files without their folder's own spelling. */
function placeKey({ file, line, column }: SourcePosition): string {
  return `${file.slice(file.lastIndexOf("/") + 1)}:${line}:${column}`;
}
