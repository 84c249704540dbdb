/** `--codegen`: what the final code does with memory and tensor cores, and why, as text. */
import { type ChainLink, explainedFacts, operandChains } from "../explain/codegen/explain-facts.js";
import { amdGpuOfTrace, type CodegenFact, codegenStep } from "../explain/codegen-facts.js";
import type { MmaFacts } from "../explain/instruction-facts.js";
import { linesOfOps } from "../explain/provenance.js";
import { assembles } from "../gpu/gpu.js";
import type { Trace } from "../trace/trace.js";
import { findLlvm, NO_LLVM } from "./amd-llvm.js";
import type { Io } from "./io.js";
import { withMachineCode } from "./machine-code.js";

/** The panel once; an error where the Trace ends before the LLVM dialect. */
export function codegenText(given: Trace, io: Io): { readonly text: string } | { readonly error: string } {
  const isAmd = assembles(given.target) === "llir";
  const trace = isAmd ? withMachineCode(given, io) : given;
  const step = codegenStep(trace);
  if (!step) return { error: "there is no final code here: the Trace ends before the LLVM dialect" };
  const facts = explainedFacts(trace);
  const out = [`instructions after ${step.label} ${step.flag}, counted in the text of one thread; loops are not unrolled in thought`];
  if (isAmd && step.flag !== "amdgcn") out.push("as the LLVM dialect has them; LLVM's backend may split or join accesses");
  if (isAmd) out.push(registersOf(trace, io));
  out.push(
    "",
    ...table(
      trace,
      facts.filter(({ mma }) => !mma),
      "memory, shuffles and barriers",
    ),
  );
  const dots = facts.filter(({ mma }) => mma);
  if (dots.length > 0) out.push("", ...table(trace, dots, "tensor cores"));
  const chains = operandChains(trace);
  if (chains.length > 0) out.push("", "from global memory to the dot");
  for (const { operand, links } of chains) {
    out.push(`  ${operand}`);
    for (const link of links) out.push(...linkLines(link));
  }
  return { text: `${out.join("\n")}\n` };
}

/** The registers of AMD's machine code, or why they are not known. */
function registersOf(trace: Trace, { programs, env }: Io): string {
  const { machine } = trace.artifacts;
  if (!machine?.wave) return `registers and spills are not known: ${programs && findLlvm(programs, env) ? "see --emit amdgcn" : NO_LLVM}`;
  const { registers, spilled, wave } = machine;
  const { accumulators, scalars, spilledScalars, scratch } = wave;
  return `${registers} VGPRs (${accumulators} of them AGPRs), ${scalars} SGPRs; spills: ${spilled / 4} VGPRs, ${spilledScalars} SGPRs; ${scratch} bytes of scratch a lane`;
}

function table(trace: Trace, facts: readonly CodegenFact[], title: string): string[] {
  if (facts.length === 0) return [`${title}: none`];
  const width = Math.max(...facts.map(({ instruction }) => instruction.length));
  const explained = new Set<number>();
  return [
    title,
    ...facts.flatMap((fact) => {
      // One thread has the whole copied.
      const alone = fact.kind === "tma" || fact.instruction.startsWith("tcgen05.cp");
      const bytes = fact.bytesPerThread > 0 ? `${fact.bytesPerThread} bytes${alone ? "" : " a thread"}` : "";
      const row = `${`${fact.count}x`.padStart(6)} ${fact.instruction.padEnd(width)}  ${bytes.padEnd(17)} ${(fact.predicate ?? "").padEnd(10)}${originOf(trace, fact)}`;
      const { mma } = fact;
      const registers = mma?.shape ? multiplied(mma, mma.shape) : "";
      const why = fact.op === undefined || explained.has(fact.op) ? [] : fact.why;
      if (fact.op !== undefined) explained.add(fact.op);
      const lines = [registers, ...why, costText(fact, amdGpuOfTrace(trace)?.warpSize ?? 32)].filter((text) => text !== "");
      return [row.trimEnd(), ...lines.map((text) => `${" ".repeat(7)}${text}`)];
    }),
  ];
}

/** Where a thread holds what an instruction multiplies; what tcgen05 multiplies, which its name does not say. */
function multiplied({ family, types, registers }: MmaFacts, shape: readonly number[]): string {
  if (family === "tcgen05") return `${shape.join("x")}, ${types.a} x ${types.b} -> ${types.acc}, in shared and tensor memory`;
  return `registers of a thread: A ${registers.a}, B ${registers.b}, D ${registers.acc}`;
}

/** The memory cost of a warp-wide instruction, where addresses and layouts determine it. */
function costText({ sectorsPerWarp, wavefronts, bytesPerThread }: CodegenFact, lanes: number): string {
  if (sectorsPerWarp !== undefined) return `${sectorsPerWarp} sectors a warp, for ${bytesPerThread * lanes} bytes`;
  return wavefronts
    ? `${wavefronts.needed} wavefronts a warp${wavefronts.needed > wavefronts.least ? `, ${wavefronts.least} without bank conflicts` : ""}`
    : "";
}

/** `%23 = tt.load, kernel.py:12`. */
function originOf(trace: Trace, { op, opStep, source }: CodegenFact): string {
  const place = source ? `${source.file.slice(source.file.lastIndexOf("/") + 1)}:${source.line}` : "";
  if (op === undefined || opStep === undefined) return place;
  const { text } = trace.steps[opStep]!;
  const line = trace.lines.line(text.lines[linesOfOps(text).get(op)!]!);
  const name = /^\s*((?:%[\w$.:-]+(?:, )?)+ = )?"?([\w.]+)/.exec(line);
  return [name ? `${name[1] ?? ""}${name[2]}` : line.trim(), place].filter((part) => part !== "").join(", ");
}

function linkLines({ op, type, facts }: ChainLink): string[] {
  const done = facts.map(({ count, instruction }) => `${count}x ${instruction}`).join(", ");
  return [`    ${op}${type === "" ? "" : ` : ${type}`}`, ...(done === "" ? [] : [`        ${done}`])];
}
