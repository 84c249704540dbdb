/**
 * AxisInfo of all values of a module. Callers are analysed before their callees: what all callers hand to a scalar argument is
 * noted on the function (`tt.divisibility` and so on), and so stays in the IR, as upstream.
 * Source: lib/Analysis/AxisInfo.cpp, ModuleAxisInfoAnalysis.
 */
import { argumentAttr, setArgumentAttr } from "../dialects/builtin/function-op.js";
import { PointerType } from "../dialects/tt/types.js";
import { distributedParams } from "../dialects/ttg/encodings/define-encoding.js";
import { i64Attr, intOf } from "../ir/builtin-attrs.js";
import { bitWidth, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { getContigPerThread, getOrder } from "../layout/encoding-queries.js";
import { defineAnalysis } from "../pass/analysis.js";
import { type AxisInfo, gcd, MAX_DIVISOR, noAxisInfo, pessimisticAxisInfo, rankOf } from "./axis-info.js";
import { callGraphOf } from "./call-graph.js";
import { analyzeAxisInfo } from "./sparse-axis-info.js";

export class ModuleAxisInfo {
  /** Divisions of constants at which upstream's analysis dies. */
  readonly killing = new Set<Operation>();
  readonly #infos = new Map<Value, AxisInfo>();
  /** A call by which functions call each other in a circle: then nothing is known. */
  readonly recursive: Operation | undefined;

  /** Whether nothing is to be known of any value (`--pessimistic-axis-info`). */
  readonly #pessimistic: boolean;

  constructor(module: Operation) {
    this.#pessimistic = module.ctx.pessimisticAxisInfo;
    const graph = callGraphOf(module);
    const calleesFirst = graph.postOrder();
    this.recursive = calleesFirst ? undefined : graph.recursiveCall();
    if (this.#pessimistic) return;
    for (const func of [...(calleesFirst ?? [])].reverse()) {
      this.#analyze(func);
      for (const { call, callee } of graph.callsIn(func)) this.#handOver(call, callee);
    }
  }

  #analyze(func: Operation): void {
    const infoOf = analyzeAxisInfo(func, this.killing);
    const note = (value: Value): void => {
      const info = infoOf(value);
      if (info) this.#infos.set(value, info);
    };
    func.walk((op) => {
      for (const result of op.results) note(result);
      for (const region of op.regions) for (const block of region.blocks()) block.args.forEach(note);
    });
  }
  #handOver(call: Operation, callee: Operation): void {
    call.operands.forEach((operand, index) => {
      const info = this.#infos.get(operand);
      if (!info || rankOf(info) !== 1) return;
      const note = (name: string, value: number): void => {
        const before = intOf(argumentAttr(callee, index, name)) ?? MAX_DIVISOR;
        setArgumentAttr(callee, index, name, i64Attr(callee.ctx, BigInt(gcd(value, before))));
      };
      note("tt.contiguity", info.contiguity[0]!);
      note("tt.divisibility", info.divisibility[0]!);
      note("tt.constancy", info.constancy[0]!);
    });
  }

  /** The AxisInfo of a value; undefined in code that no function of the module reaches. */
  get(value: Value): AxisInfo | undefined {
    return this.#pessimistic ? noAxisInfo(value) : this.#infos.get(value);
  }
  /** As `get`; the worst case where nothing is known. */
  getOrWorst(value: Value): AxisInfo {
    return this.get(value) ?? pessimisticAxisInfo(value);
  }

  /** Elements that a thread can access at once: contiguous, aligned and its own. */
  getContiguity(value: Value): number {
    const tensor = distributedTensor(value);
    if (!tensor) return 1;
    const [fastest] = getOrder(tensor.encoding, tensor.shape);
    return Math.min(this.getAlignment(value), getContigPerThread(tensor.encoding, tensor.shape)[fastest!]!);
  }
  /** Elements that are contiguous and aligned in the fastest dimension of the layout. */
  getAlignment(value: Value): number {
    const tensor = distributedTensor(value);
    const info = tensor && this.get(value);
    if (!info) return 1;
    const { type, encoding, shape } = tensor;
    const fastest = getOrder(encoding, shape)[0]!;
    const divisibility = info.divisibility[fastest]!;
    const { elementType } = type.params;
    const multiple = PointerType.is(elementType)
      ? Math.max(Math.trunc(divisibility / Math.max(Math.trunc((bitWidth(elementType.params.pointeeType) ?? 8) / 8), 1)), 1)
      : divisibility;
    return Math.min(multiple, info.contiguity[fastest]!);
  }
  /** Elements over which a mask stays the same in the fastest dimension of the layout. */
  getMaskAlignment(mask: Value): number {
    const tensor = distributedTensor(mask);
    const info = tensor && this.get(mask);
    if (!info) return 1;
    return Math.max(info.constancy[getOrder(tensor.encoding, tensor.shape)[0]!]!, 1);
  }
}

function distributedTensor({ type }: Value) {
  if (!RankedTensorType.is(type)) return undefined;
  const tensor: TensorType = type;
  const encoding = distributedParams(tensor.params.encoding);
  return encoding && { type: tensor, encoding, shape: tensor.params.shape };
}

/** The AxisInfo of a module (or of a function alone, when a pass is run on one). */
export const moduleAxisInfo = defineAnalysis(
  "axis-info",
  (root) => {
    let module = root;
    while (module.def.interface(FunctionOp) && module.parentOp) module = module.parentOp;
    return new ModuleAxisInfo(module);
  },
  ({ killing: [op] }) => op && { op, why: "its analysis of alignments divides these constants, which the processor refuses (SIGFPE)" },
);
