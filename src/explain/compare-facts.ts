/** The parts of a kernel's final code in a few figures, and how two compilations differ in them. */
import type { LaunchCosts, Trace } from "../trace/trace.js";
import { amdKindOf } from "./codegen/amd-lines.js";
import { readInstruction } from "./codegen/ptx-instruction.js";
import { codegenFacts } from "./codegen-facts.js";
import type { FactKind } from "./instruction-facts.js";

/** The figures that a kernel's author guards. Instructions are counted in the text of one thread. */
export interface FinalFacts {
  /** How often instructions of memory, shuffles and barriers occur: `{"ld.global.v4.b32": 4}`. */
  readonly instructions: Readonly<Record<string, number>>;
  /** Tensor core instructions with their shapes: `{"mma.sync...f16.f16.f32 (16x8x16)": 32}`. */
  readonly mma: Readonly<Record<string, number>>;
  /** Shared memory of a program, in bytes. */
  readonly sharedBytes: number;
  /** Conversions of layouts in the last TTGIR. */
  readonly layoutConversions: number;
  /** Registers of a thread, and bytes of it that are spilled; only where an assembler ran. */
  readonly registers?: number;
  readonly spilledBytes?: number;
  /** Only where a launch was given. */
  readonly costs?: LaunchCosts;
}
/** A figure that differs. */
export interface FactDifference {
  /** `global loads`, `shared memory`. */
  readonly what: string;
  /** `ld.global.b32 16`, `0 bytes`; `none` where there is none. */
  readonly before: string;
  readonly after: string;
}

/** The figures of a Trace; no instructions where it ends before the final code. */
export function finalFacts(trace: Trace): FinalFacts {
  const instructions: Record<string, number> = {};
  const mma: Record<string, number> = {};
  for (const fact of codegenFacts(trace)) {
    const into = fact.mma ? mma : instructions;
    const name = fact.mma?.shape ? `${fact.instruction} (${fact.mma.shape.join("x")})` : fact.instruction;
    into[name] = (into[name] ?? 0) + fact.count;
  }
  const last = trace.steps.findLast((s) => s.stage === "ttgir" && s.parent === undefined && s.known);
  const end = trace.steps.findLast((s) => s.stage !== "ptx");
  const { machine, costs } = trace.artifacts;
  const count = (pattern: RegExp) => (last ? trace.lines.linesOf(last.text).filter((line) => pattern.test(line)).length : 0);
  const module = end ? trace.lines.linesOf(end.text).find((line) => /\bttg\.shared"? = \d+/.test(line)) : undefined;
  return {
    instructions: sorted(instructions),
    mma: sorted(mma),
    sharedBytes: Number(/\bttg\.shared"? = (\d+)/.exec(module ?? "")?.[1] ?? 0),
    layoutConversions: count(/= (?:ttg|triton_gpu)\.convert_layout\b/),
    ...(machine ? { registers: machine.registers, spilledBytes: machine.spilled } : {}),
    ...(costs ? { costs } : {}),
  };
}
function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The figures in which two compilations differ; none where their final code is made of the same. */
export function compareFacts(before: FinalFacts, after: FinalFacts): readonly FactDifference[] {
  const found: FactDifference[] = [];
  const [was, is] = [grouped(before), grouped(after)];
  for (const what of ORDER) {
    const a = was.get(what) ?? new Map<string, number>();
    const b = is.get(what) ?? new Map<string, number>();
    const names = [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name));
    const text = (counts: ReadonlyMap<string, number>) =>
      names.flatMap((name) => (counts.has(name) ? [`${name} ${counts.get(name)}`] : [])).join(", ") || "none";
    const [only = ""] = names;
    // For one instruction the number is enough.
    const again = names.length === 1 && a.has(only) && b.has(only);
    if (names.length > 0) found.push({ what, before: text(a), after: again ? String(b.get(only)) : text(b) });
  }
  const now = new Map(figures(after));
  for (const [what, figure] of figures(before)) {
    const other = now.get(what);
    if (other !== undefined && other !== figure) found.push({ what, before: figure, after: other });
  }
  if (before.costs && after.costs) found.push(...compareCosts(before.costs, after.costs));
  return found;
}

/** The figures that are known of both compilations, and the same: `registers 26 a thread`. */
export function sameFigures(before: FinalFacts, after: FinalFacts): readonly string[] {
  const now = new Map(figures(after));
  return figures(before).flatMap(([what, figure]) => (now.get(what) === figure ? [`${what} ${figure}`] : []));
}

/** Registers and spills are known where an assembler ran. */
function figures(facts: FinalFacts): readonly (readonly [what: string, figure: string])[] {
  const known: readonly (readonly [what: string, figure: number | undefined, unit: string])[] = [
    ["shared memory", facts.sharedBytes, " bytes"],
    ["layout conversions", facts.layoutConversions, ""],
    ["registers", registersOf(facts), " a thread"],
    ["spills", facts.spilledBytes, " bytes a thread"],
  ];
  return known.flatMap(([what, figure, unit]) => (figure === undefined ? [] : [[what, `${figure}${unit}`] as const]));
}

/** By an assembler, or as they are estimated for the costs of a launch. */
const registersOf = ({ registers, costs }: FinalFacts): number | undefined => registers ?? costs?.figures["registers"];

/** The figures in which two launches differ: the GPU, how many programs, the costs of a program, and the least time. */
function compareCosts(before: LaunchCosts, after: LaunchCosts): readonly FactDifference[] {
  const rows = ({
    gpu,
    grid,
    figures: { bound = 0, registers: _, ...program },
  }: LaunchCosts): readonly (readonly [what: string, value: string])[] => [
    ["GPU", gpu],
    ["programs", String(grid.reduce((n, m) => n * m, 1))],
    ...Object.entries(program).map(([name, count]) => [`${name} of a program`, String(count)] as const),
    ["least time", `${Number((1e6 * bound).toPrecision(3))} us`],
  ];
  const is = new Map(rows(after));
  return rows(before).flatMap(([what, value]) => {
    const now = is.get(what);
    return now === undefined || now === value ? [] : [{ what, before: value, after: now }];
  });
}

/** `  global loads        ld.global.b32 16 -> ld.global.v4.b32 4`, one a line. */
export function differenceTable(differences: readonly FactDifference[]): readonly string[] {
  const width = Math.max(0, ...differences.map(({ what }) => what.length));
  return differences.map(({ what, before, after }) => `${what.padEnd(width)}  ${before} -> ${after}`);
}

const KINDS: Readonly<Record<Exclude<FactKind, "load" | "store" | "mma">, string>> = {
  atomic: "atomics",
  "async-copy": "asynchronous copies",
  tma: "TMA",
  "matrix-load": "matrix loads",
  "matrix-store": "matrix stores",
  shuffle: "shuffles",
  barrier: "barriers",
  wait: "waits",
};
const SPACES = ["global", "shared", "tensor", "local", "generic", "param"] as const;
const ORDER: readonly string[] = [
  ...SPACES.flatMap((space) => [`${space} loads`, `${space} stores`]),
  ...Object.values(KINDS),
  "tensor cores",
  "other instructions",
];

/** Counts by group and by name: a barrier's operands are no part of its name. */
function grouped({ instructions, mma }: FinalFacts): ReadonlyMap<string, Map<string, number>> {
  const groups = new Map<string, Map<string, number>>();
  const add = (group: string, name: string, count: number) => {
    const counts = groups.get(group) ?? new Map<string, number>();
    groups.set(group, counts.set(name, (counts.get(name) ?? 0) + count));
  };
  for (const [name, count] of Object.entries(instructions)) {
    const [mnemonic = name] = name.split(" ");
    const read = amdKindOf(name) ?? readInstruction(name);
    const group =
      read === undefined || read.kind === "mma"
        ? "other instructions"
        : read.kind === "load" || read.kind === "store"
          ? `${read.space} ${read.kind}s`
          : KINDS[read.kind];
    add(ORDER.includes(group) ? group : "other instructions", mnemonic, count);
  }
  for (const [name, count] of Object.entries(mma)) add("tensor cores", name, count);
  return groups;
}
