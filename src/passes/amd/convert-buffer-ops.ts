import { vectorSize } from "../../analysis/amd-vector-size.js";
import { type ModuleAxisInfo, moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { BufferAtomicCASOp, BufferAtomicRMWOp, BufferLoadOp, BufferLoadToLocalOp, BufferStoreOp } from "../../dialects/amdg/ops/buffer.js";
import { AddIOp, ConstantOp, MulIOp } from "../../dialects/arith/ops/index.js";
import { argumentAttr } from "../../dialects/builtin/function-op.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp } from "../../dialects/tt/ops/memory.js";
import { AddPtrOp } from "../../dialects/tt/ops/pointer.js";
import { BroadcastOp, SplatOp } from "../../dialects/tt/ops/shape.js";
import { PointerType } from "../../dialects/tt/types.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import { type AmdFamily, amdFamilyOf } from "../../gpu/amd.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, IntegerType, isFloat, isInteger, RankedTensorType } from "../../ir/builtin-types.js";
import type { TypedOpDef, ViewOf } from "../../ir/define-op.js";
import { isOneInt, isZeroFloat, isZeroInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import type { Explain } from "../../pass/remark.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { type Pattern, pattern } from "../../rewrite/pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { familyOfModule } from "./module-target.js";
import { analyzeRanges, type RangeAnalysis } from "./range-analysis.js";

const LIMIT = (1n << 31n) - 1n;

export const convertBufferOps = definePass("tritonamdgpu-convert-buffer-ops", {
  name: "TritonAMDGPUConvertToBufferOps",
  summary: "Convert memory operations to buffer operations",
  source: "third_party/amd/lib/TritonAMDGPUTransforms/ConvertToBufferOps.cpp",
  options: {
    archGenerationName: option.string({ default: "", summary: "the GPU: gfx942" }),
    allowBufferAtomics: option.bool({ default: true, summary: "atomics as well, where the GPU has them" }),
    analyzeSmallTensorOfst: option.bool({ default: false, summary: "look at offsets into tensors of at most 2 GiB, too" }),
  },
  statistics: { converted: "accesses that became buffer operations" },
  run(root, { options, analysis, listener, report, count, explain }) {
    const ranges = analyzeRanges(root, (op, message) => report.remark(op, message));
    const axes = analysis(moduleAxisInfo);
    if (axes.recursive) return report.error(axes.recursive, "Cycle detected in call graph");
    const converter = new BufferOps(ranges, axes, options.analyzeSmallTensorOfst, explain, () => count("converted"));
    const patterns: Pattern[] = [converter.load(), converter.store()];
    const target = familyOfModule(root);
    if (target === "CDNA3" || target === "CDNA4") patterns.push(converter.asyncCopy());
    const family = amdFamilyOf(options.archGenerationName);
    if (options.allowBufferAtomics && (family === "CDNA3" || family === "CDNA4")) patterns.push(converter.atomicRMW(family));
    patterns.push(converter.atomicCAS());
    applyPatternsGreedily(root, patterns, { listener });
  },
});

/** The base and offsets that a tensor of pointers is made of. */
interface Address {
  readonly ptr: Value;
  readonly offsets: Value;
  /** The stride of a block, where the offsets show one. */
  readonly stride: Value | undefined;
}

class BufferOps {
  readonly #hasDot = new Map<Operation, boolean>();
  readonly #explained = new Set<Operation>();
  constructor(
    private readonly ranges: RangeAnalysis,
    private readonly axes: ModuleAxisInfo,
    private readonly analyzeSmallTensors: boolean,
    private readonly explain: Explain | undefined,
    private readonly count: () => void,
  ) {}

  load(): Pattern {
    return this.#onAccess("load-to-buffer-load", LoadOp, ({ op, mask, other, cache, result }, address, rw) => {
      if (this.#isFloatBesideDot(result))
        return this.#keep(op, "its function multiplies matrices, and real Triton avoids a fault of LLVM with buffer loads of f32");
      const types = [result.type];
      return rw.replaceWith(op, BufferLoadOp, { ...address, cache, mask: maskOf(mask), other: otherOf(other) }, { types }).op;
    });
  }
  asyncCopy(): Pattern {
    return this.#onAccess(
      "async-copy-to-buffer-load",
      AsyncCopyGlobalToLocalOp,
      ({ op, result, mask, other, cache, contiguity }, address, rw) => {
        const parts = { ...address, dest: result, cache, contiguity, mask: maskOf(mask), other: otherOf(other) };
        return rw.replaceWith(op, BufferLoadToLocalOp, parts, { types: op.resultTypes }).op;
      },
    );
  }
  store(): Pattern {
    return this.#onAccess("store-to-buffer-store", StoreOp, ({ op, value, mask, cache }, address, rw) => {
      return rw.replaceWith(op, BufferStoreOp, { ...address, value, cache, mask: maskOf(mask) }).op;
    });
  }
  atomicRMW(family: AmdFamily): Pattern {
    return this.#onAccess("atomic-to-buffer-atomic", AtomicRMWOp, ({ op, ptr, val, mask, atomic_rmw_op, sem, scope }, address, rw) => {
      if (scope === "sys") return this.#keep(op, "its scope is the whole system");
      const type = elementTypeOrSelf(val.type);
      if (!["f16", "bf16", "f32", "f64"].some((kind) => isFloat(type, kind as "f16")) && !isInteger(type, 32) && !isInteger(type, 64))
        return this.#keep(op, `there is none of ${typeText(type)}`);
      if (family === "CDNA3" && isFloat(type, "bf16") && atomic_rmw_op === "fadd") return this.#keep(op, "gfx942 adds no bf16 so");
      const width = vectorSize(ptr, this.axes);
      if (width % 2 !== 0 && (isFloat(type, "f16") || isFloat(type, "bf16")))
        return this.#keep(op, `${typeText(type)} is computed in pairs, and its elements do not lie in pairs`);
      const isMinMax = atomic_rmw_op === "max" || atomic_rmw_op === "min";
      if (isMinMax && IntegerType.is(type)) return this.#keep(op, `there is no ${atomic_rmw_op} of signed integers`);
      if (width * bitWidth(type)! < 32)
        return this.#keep(op, `a thread accesses ${width * bitWidth(type)!} bits at once, and they work on 32 or more`);
      const parts = { ...address, value: val, atomic_rmw_op, sem, scope, mask: maskOf(mask) };
      return rw.replaceWith(op, BufferAtomicRMWOp, parts, { types: [val.type] }).op;
    });
  }
  atomicCAS(): Pattern {
    return this.#onAccess("cas-to-buffer-cas", AtomicCASOp, ({ op, cmp, val, sem, scope }, address, rw) => {
      if (scope === "sys") return this.#keep(op, "its scope is the whole system");
      const type = elementTypeOrSelf(val.type);
      if (!isInteger(type, 32) && !isInteger(type, 64)) return this.#keep(op, `there is none of ${typeText(type)}`);
      return rw.replaceWith(op, BufferAtomicCASOp, { ...address, cmp, val, sem, scope }, { types: [val.type] }).op;
    });
  }

  /** A pattern on accesses of which the address fits; `replace` says nothing where the op stays. */
  #onAccess<O, A, R, G, S>(
    name: string,
    def: TypedOpDef<O, A, R, G, S>,
    replace: (view: ViewOf<O, A, R, G, S>, address: Address, rw: Rewriter) => Operation | undefined,
  ): Pattern {
    return pattern(name, def, (view, rw) => {
      const { op } = view;
      const ptr = op.operand(0);
      const reason = this.#unfit(ptr);
      if (reason !== undefined) {
        this.#keep(op, reason);
        return rw.noMatch(reason, op);
      }
      const { ptr: splat, offset } = AddPtrOp.match(ptr.definingOp)!;
      const address = { ptr: SplatOp.match(splat.definingOp)!.src, offsets: offset, stride: blockStride(offset) };
      const { definingOp } = address.ptr;
      const made = replace(view, address, rw);
      if (!made) return rw.noMatch("no buffer operation does this", op);
      this.count();
      this.explain?.(made, "buffer.access", {
        kind: "applied",
        message: `{0}: all threads access ${definingOp ? "{1}" : "argument {1}"} at 32-bit offsets: a buffer operation, which the hardware checks for bounds`,
        refs: [address.ptr],
      });
      return true;
    });
  }
  /** Notes once why an access stays. */
  #keep(op: Operation, reason: string): undefined {
    if (this.#explained.has(op)) return;
    this.#explained.add(op);
    this.explain?.(op, "buffer.declined", { kind: "missed", message: `{0} is no buffer operation: ${reason}`, fields: { reason } });
  }

  /** Why an address is not one of a buffer operation. */
  #unfit(ptr: Value): string | undefined {
    const address = AddPtrOp.match(ptr.definingOp);
    const splat = SplatOp.match(address?.ptr.definingOp);
    if (!address || !splat) return "its pointers are not one pointer for all threads and an offset";
    const { offset } = address;
    const width = bitWidth(elementTypeOrSelf(offset.type))!;
    if (width !== 32) return `its offsets have ${width} bits, not 32`;
    if (!this.analyzeSmallTensors && isSmallTensor(splat.src)) return undefined;
    const range = this.ranges.rangeOf(offset);
    if (!range) return "nothing is known of its offsets";
    if (range.smin < 0n || range.smax < 0n)
      return `its offsets may be negative: they are from ${range.smin} to ${range.smax}, as far as is known`;
    let type = elementTypeOrSelf(ptr.type);
    while (PointerType.is(type)) type = type.params.pointeeType;
    const bits = bitWidth(type);
    if (bits === undefined) return `elements of ${typeText(type)} have no size`;
    const bytes = (BigInt(bits) * range.smax + BigInt(bits) + 7n) / 8n;
    return bytes <= LIMIT ? undefined : `its offsets reach ${bytes} bytes, as far as is known, and the limit is ${LIMIT}`;
  }
  #isFloatBesideDot(result: Value): boolean {
    if (!isFloat(elementTypeOrSelf(result.type), "f32")) return false;
    const func = result.definingOp!.parentOfType(FuncOp);
    if (!func) return true;
    let hasDot = this.#hasDot.get(func);
    if (hasDot === undefined) this.#hasDot.set(func, (hasDot = func.walk((op) => (DotOp.is(op) ? "interrupt" : undefined))));
    return hasDot;
  }
}

/** Whether an argument of the function points to at most 2 GiB. */
function isSmallTensor(base: Value): boolean {
  const func = base.argOwner?.parentOp;
  if (!FuncOp.is(func) || base.argOwner !== func!.regions[0]!.firstBlock) return false;
  const range = intOf(argumentAttr(func!, base.index, "tt.pointer_range"));
  return range !== undefined && range <= 32;
}
/** A mask that leaves something out. */
function maskOf(mask: Value | undefined): Value | undefined {
  const isConstant = mask && ConstantOp.is(mask.definingOp) && RankedTensorType.is(mask.type);
  return isConstant && isOneInt(mask) ? undefined : mask;
}
/** A value for what is left out, other than 0. */
function otherOf(other: Value | undefined): Value | undefined {
  return other && (isZeroInt(other) || isZeroFloat(other)) ? undefined : other;
}
/** The scalar by which the offsets of a block are multiplied: add(broadcast(mul(splat))). */
function blockStride(offsets: Value): Value | undefined {
  for (const term of AddIOp.match(offsets.definingOp)?.op.operands ?? []) {
    const multiply = MulIOp.match(BroadcastOp.match(term.definingOp)?.src.definingOp);
    for (const factor of multiply?.op.operands ?? []) {
      const splat = SplatOp.match(factor.definingOp);
      if (splat) return splat.src;
    }
  }
  return undefined;
}
