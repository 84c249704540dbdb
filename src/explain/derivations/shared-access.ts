/** The cost of moving a tensor to or from shared memory: bank conflicts, and the swizzle that ends them. */
import { conflictOf, type SharedInstruction, wavefrontsOf } from "../../analysis/access-cost.js";
import { enclosingModule, TARGET } from "../../dialects/ttg/num-warps.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import { gpuCalled } from "../../gpu/gpu.js";
import { capabilityOf, gpuOf } from "../../gpu/nvidia.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { amdBanks, type BankRules, NVIDIA_BANKS } from "../../layout/bank-conflicts.js";
import type { Trace } from "../../trace/trace.js";
import { amdGpuOfTrace, type CodegenFact, codegenFacts } from "../codegen-facts.js";
import { descendantsOf } from "../provenance.js";

/** Ops that move the contents of a buffer, by way of its views too. */
export function accessesOfBuffer(buffer: Value): readonly Operation[] {
  const views = new Set([buffer]);
  const users = new Set<Operation>();
  for (const view of views)
    for (const user of view.users().reverse()) {
      users.add(user);
      for (const result of user.results) if (MemDescType.is(result.type)) views.add(result);
    }
  return [...users];
}

/** The rounds that each instruction of an op takes in shared memory, with what would end its conflicts; none where it moves nothing there. */
export function sharedLines(trace: Trace, op: Operation, id: number, name: string): readonly string[] {
  const family = new Set(descendantsOf(trace, id));
  return codegenFacts(trace).flatMap((fact) => {
    const { kind, space } = fact;
    const inShared = space === "shared" || kind === "matrix-load" || kind === "matrix-store";
    if (!inShared || fact.op === undefined || !family.has(fact.op) || fact.bytesPerThread === 0) return [];
    const instruction = instructionOf(trace, fact);
    const cost = instruction && wavefrontsOf(op, instruction);
    if (!cost) return [];
    const { needed, least } = cost;
    const rounds = `${needed} round${needed === 1 ? "" : "s"} of shared memory a warp`;
    const verdict = needed > least ? `${rounds} where ${least} would do` : `${rounds}, without bank conflicts`;
    return [`${name}: ${fact.count}x ${fact.instruction}: ${verdict}`, ...conflictReasons(trace, op, fact)];
  });
}

/** The banks of the GPU that a module is for; undefined where they are not known. */
export function bankRulesOf(op: Operation): BankRules | undefined {
  const amd = gpuCalled(stringOf(enclosingModule(op)?.attr(TARGET)) ?? "")?.hip;
  if (!amd) return NVIDIA_BANKS;
  return amd.ldsBanks === undefined ? undefined : amdBanks(amd.ldsBanks);
}

/** AMD's GPUs move rows of matrices by plain accesses. */
const NO_MATRICES = { ldMatrix: false, stMatrix: false } as const;

/** Undefined where nothing is accessed, or where the GPU's banks, or how it reads with transposing, are not known. */
export function instructionOf(trace: Trace, { kind, bytesPerThread: bytes }: CodegenFact): SharedInstruction | undefined {
  if (bytes === 0) return undefined;
  const amd = amdGpuOfTrace(trace);
  const byMatrices = kind === "matrix-load" || kind === "matrix-store";
  const loads = kind === "load" || kind === "matrix-load";
  if (!amd) return { bytes, byMatrices, loads, rules: NVIDIA_BANKS, gpu: gpuOf(capabilityOf(trace.target) ?? 80) };
  return byMatrices || amd.ldsBanks === undefined
    ? undefined
    : { bytes, byMatrices, loads, rules: amdBanks(amd.ldsBanks), gpu: NO_MATRICES };
}

/** Which lanes meet in which bank, and which swizzle would keep them apart; nothing where there is no conflict. */
export function conflictReasons(trace: Trace, op: Operation, fact: CodegenFact): string[] {
  const instruction = instructionOf(trace, fact);
  const found = instruction && conflictOf(op, instruction);
  if (!found) return [];
  const { bank, lanes, swizzle } = found;
  const shown = lanes.length > 8 ? `${lanes.slice(0, 8).join(", ")} and ${lanes.length - 8} more` : lanes.join(", ");
  const met = `Lanes ${shown} want different rows of bank ${bank} at once`;
  if (!swizzle) return [met];
  const { vec, perPhase, maxPhase } = swizzle;
  return [met, `A buffer swizzled with vec = ${vec}, perPhase = ${perPhase}, maxPhase = ${maxPhase} would keep them apart`];
}
