/**
 * Why the machine instructions of an op are as they are, and the way of a dot's operands from global memory to the tensor
 * core: what `--codegen` prints beside the facts.
 */

import { axesOfAllocations, sectorsOf, wavefrontsOf } from "../../analysis/access-cost.js";
import type { ModuleAxisInfo } from "../../analysis/module-axis-info.js";
import { DotOp, DotScaledOp } from "../../dialects/tt/ops/dot.js";
import { LoadOp } from "../../dialects/tt/ops/memory.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import { LocalAllocOp, LocalLoadOp, LocalStoreOp } from "../../dialects/ttg/ops/local-memory.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import { AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp } from "../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp } from "../../dialects/ttng/ops/warp-group-dot.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { memo } from "../../support/memo.js";
import type { Trace } from "../../trace/trace.js";
import { type CodegenFact, codegenFacts, lastTtgirStep } from "../codegen-facts.js";
import { conflictReasons, instructionOf } from "../derivations/shared-access.js";
import { instructionReasons, queriesOf, type StepQueries } from "../queries.js";
import { messageBytes } from "./tma-wgmma-reasons.js";

/** The facts with what they cost the memory; those of an imported step that cannot be read back as they are. */
export const ratedFacts = memo((trace: Trace): readonly CodegenFact[] =>
  withOps(trace, codegenFacts(trace), (queries) => {
    const axes = axesOfAllocations(queries.ir.module);
    return (op, fact) => costOf(trace, fact, op, axes);
  }),
);

/** The facts with their costs and reasons. */
export const explainedFacts = (trace: Trace): readonly CodegenFact[] =>
  withOps(trace, ratedFacts(trace), (queries) => (op, fact) => ({
    why: [...instructionReasons(queries, op), ...conflictReasons(trace, op, fact)],
  }));

/** The facts with what `more` says of their ops. */
function withOps(
  trace: Trace,
  facts: readonly CodegenFact[],
  more: (queries: StepQueries) => (op: Operation, fact: CodegenFact) => Partial<CodegenFact>,
): readonly CodegenFact[] {
  const queries = ttgirQueries(trace);
  const say = queries && more(queries);
  if (!say) return facts;
  return facts.map((fact) => {
    const op = fact.op === undefined ? undefined : queries.opOf(fact.op);
    return op ? { ...fact, ...say(op, fact) } : fact;
  });
}

function costOf(
  trace: Trace,
  fact: CodegenFact,
  op: Operation,
  axes: ModuleAxisInfo,
): Partial<Pick<CodegenFact, "sectorsPerWarp" | "wavefronts" | "bytesPerThread">> {
  const { kind, space, bytesPerThread: bytes } = fact;
  if (kind === "tma") return { bytesPerThread: messageBytes(op) ?? bytes };
  if (bytes === 0) return {};
  if (kind === "async-copy" || (space === "global" && (kind === "load" || kind === "store" || kind === "atomic"))) {
    const sectorsPerWarp = sectorsOf(op, bytes, axes);
    return sectorsPerWarp === undefined ? {} : { sectorsPerWarp };
  }
  const inShared = space === "shared" || kind === "matrix-load" || kind === "matrix-store";
  const instruction = inShared ? instructionOf(trace, fact) : undefined;
  const wavefronts = instruction && wavefrontsOf(op, instruction);
  return wavefronts ? { wavefronts } : {};
}

/** One op on the way of an operand. */
export interface ChainLink {
  /** `%38 = ttg.local_load`. */
  readonly op: string;
  /** The type that it makes or fills, with its layout. */
  readonly type: string;
  readonly facts: readonly CodegenFact[];
}
export interface OperandChain {
  /** `operand a of %40 = tt.dot`. */
  readonly operand: string;
  /** From global memory to the dot. */
  readonly links: readonly ChainLink[];
}

/** The chains of all dots of the last TTGIR step. */
export function operandChains(trace: Trace): readonly OperandChain[] {
  const queries = ttgirQueries(trace);
  if (!queries) return [];
  const facts = codegenFacts(trace);
  const link = (op: Operation, value: Value | undefined): ChainLink => {
    const id = queries.idOf(op);
    return {
      op: titleOf(queries, op),
      type: value ? typeText(value.type) : "",
      facts: facts.filter((f) => id !== undefined && f.op === id),
    };
  };
  const chains: OperandChain[] = [];
  queries.ir.module.walk((op) => {
    const dot = DotOp.match(op) ?? DotScaledOp.match(op) ?? WarpGroupDotOp.match(op);
    if (!dot) return;
    for (const name of ["a", "b"] as const)
      chains.push({
        operand: `operand ${name} of ${titleOf(queries, op)}`,
        links: [...wayTo(dot[name]).map(({ op, value }) => link(op, value)), link(op, op.results[0])],
      });
  });
  return chains;
}

function ttgirQueries(trace: Trace): StepQueries | undefined {
  const step = lastTtgirStep(trace);
  const queries = step && queriesOf(trace, step);
  return queries && !("error" in queries) ? queries : undefined;
}

function titleOf(queries: StepQueries, op: Operation): string {
  return op.numResults > 0 ? `${queries.nameOf(op)} = ${op.name}` : op.name;
}

interface Station {
  readonly op: Operation;
  readonly value: Value | undefined;
}

/**
 * The ops that data passes before it is `value`, first to last: through the first operand that is a tensor or a buffer, from
 * what a loop carries to where it starts, and from a buffer to what fills it.
 */
function wayTo(value: Value): Station[] {
  const way: Station[] = [];
  const seen = new Set<Value>();
  let at: Value | undefined = value;
  while (at && !seen.has(at)) {
    seen.add(at);
    const op: Operation | undefined = at.definingOp ?? undefined;
    if (!op) {
      at = startOf(at);
      continue;
    }
    way.unshift({ op, value: at });
    if (LoadOp.is(op)) break;
    const alloc = LocalAllocOp.match(op);
    if (alloc && !alloc.src) {
      const filler = fillerOf(at);
      if (!filler) break;
      way.unshift({ op: filler, value: undefined });
      at = LocalStoreOp.match(filler)?.src;
      continue;
    }
    at = op.operands.find((operand) => RankedTensorType.is(operand.type) || MemDescType.is(operand.type));
  }
  return way;
}

/** The initial value of a loop-carried argument. */
function startOf(arg: Value): Value | undefined {
  const loop = arg.parentBlock?.parentOp;
  return loop?.name === "scf.for" && arg.index > 0 ? loop.operand(arg.index + 2) : undefined;
}

const FILLERS: ReadonlySet<OpDef> = new Set<OpDef>([AsyncCopyGlobalToLocalOp, LocalStoreOp, AsyncTMACopyGlobalToLocalOp, AsyncTMAGatherOp]);
/** The first copy or store into a buffer or a view of it. */
function fillerOf(buffer: Value): Operation | undefined {
  const views = [buffer];
  for (let i = 0; i < views.length; i++)
    for (const user of views[i]!.users()) {
      if (FILLERS.has(user.def)) return user;
      if (!LocalLoadOp.is(user)) for (const result of user.results) if (MemDescType.is(result.type)) views.push(result);
    }
  return undefined;
}
