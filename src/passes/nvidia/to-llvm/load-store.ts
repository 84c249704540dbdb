/**
 * Loads and stores of global memory as PTX: as many neighbouring elements at once as the pointers' alignment and contiguity, the
 * mask's constancy and 128 bits allow, each access in words of up to 32 bits (64 for wider elements).
 *
 *     @$5 ld.global.v4.b32 { $0, $1, $2, $3 }, [ $4 + 0 ];
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/LoadStoreOpToLLVM.cpp, LoadOpConversion, StoreOpConversion.
 */
import { LLVMPointerType, structType, voidType } from "../../../dialects/llvm/types/types.js";
import { LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import type { Type } from "../../../ir/attribute.js";
import { DenseElementsAttr } from "../../../ir/builtin-attrs.js";
import { elementTypeOrSelf, i64, intType, isInteger, VectorType } from "../../../ir/builtin-types.js";
import { constantOf } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { type FreeVariableMasks, freeVariableMasks, vectorSize } from "../../ttg-to-llvm/global-access.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { asValue, knownCTAId, laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType, elementsPerThread } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";

/** True in one thread of those that hold the same data; undefined when all are different. */
export function redundantThreadPredicate(lo: Lowering, masks: FreeVariableMasks): Value | undefined {
  const { b } = lo;
  const zero = b.i32(0);
  const { lane, warp } = laneAndWarpId(lo);
  const block = masks.block === 0 ? zero : asValue(b, knownCTAId(lo));
  let predicate: Value | undefined;
  for (const [id, mask] of [
    [lane, masks.lane],
    [asValue(b, warp), masks.warp],
    [block, masks.block],
  ] as const) {
    if (mask === 0) continue;
    const first = b.icmp("eq", b.and(id, b.i32(mask)), zero);
    predicate = maybeAnd(lo, predicate, first);
  }
  return predicate;
}
export function maybeAnd(lo: Lowering, a: Value | undefined, b: Value | undefined): Value | undefined {
  return a && b ? lo.b.and(a, b) : (a ?? b);
}

/** A register that says how long L2 should keep the data; where the GPU has it, for the policies that differ from the usual. */
export function cachePolicy(lo: Lowering, evict: string): Value | undefined {
  if (evict === "evict_normal" || !lo.target.gpu.cachePolicies) return undefined;
  const ptx = new PtxBuilder();
  const policy = ptx.output("=l", { init: true });
  ptx.instruction(["createpolicy.fractional", `L2::${evict}`, "b64"], [policy, ptx.constant("1.0")]);
  return ptx.launch(lo.b, i64(lo.ctx));
}
const evictionParts = (evict: string, policy: Value | undefined): string[] => [
  evict === "evict_first" || evict === "evict_last" ? `L1::${evict}` : "",
  policy ? "L2::cache_hint" : "",
];

/** How an access of `vec` elements is cut into words. */
interface Words {
  readonly elementBits: number;
  readonly width: number;
  readonly count: number;
  readonly perWord: number;
  readonly constraint: string;
}
function wordsOf(elementBits: number, vec: number): Words {
  const total = elementBits * vec;
  const width = Math.min(total, Math.max(32, elementBits));
  const constraint = width === 64 ? "l" : width === 32 ? "r" : "c";
  return { elementBits, width, count: Math.max(1, total / width), perWord: width / elementBits, constraint };
}
/** The integer that a splat constant `other` repeats; undefined when it is none. */
function splatInteger(other: Value | undefined, element: Type): bigint | undefined {
  const constant = other && isInteger(element) ? constantOf(other) : undefined;
  if (!DenseElementsAttr.is(constant) || !constant.params.splat || !isInteger(elementTypeOrSelf(constant.params.type))) return undefined;
  return constant.params.elements[0];
}

/** Real Triton ends here with an op that does not verify. */
const failForPointers = (lo: Lowering, op: Operation): false =>
  lo.fail(op, "the elements in memory are pointers, which have no instruction", "lower.pointer");

const LOAD: LoweringRule = rule(LoadOp, (op, lo) => {
  const { ptr, mask, other, result, evict, cache } = op;
  const { b, ctx } = lo;
  const element = convertType(elementTypeOrSelf(result.type));
  if (LLVMPointerType.is(element)) return failForPointers(lo, op.op);
  const numElems = elementsPerThread(ptr.type);
  let vec = vectorSize(lo, ptr);
  if (mask) vec = Math.min(vec, lo.axisInfo.getMaskAlignment(mask));
  const pointers = lo.elements(ptr);
  const masks = mask ? lo.elements(mask) : [];
  const splat = splatInteger(other, element);
  const others = other ? lo.elements(other) : undefined;
  const words = wordsOf(Math.max(8, scalarBits(element)), vec);
  const { register } = freeVariableMasks(ptr.type);

  const loaded: Value[] = [];
  for (let start = 0; start < numElems; start += vec) {
    const canonical = start & ~register;
    if (canonical !== start) {
      for (let i = 0; i < vec; i++) loaded.push(loaded[canonical + i]!);
      continue;
    }
    const ptx = new PtxBuilder();
    const outputs = Array.from({ length: words.count }, () => ptx.output(`=${words.constraint}`, { init: !others }));
    if (others) {
      const movWidth = Math.max(16, words.width);
      for (const [word, output] of outputs.entries()) {
        let packed = b.undef(vecType(element, words.perWord));
        for (let s = 0; s < words.perWord; s++) packed = b.insertElement(packed, others[start + word * words.perWord + s]!, b.index(s));
        const bits = b.bitcast(packed, intType(ctx, words.width));
        let replicated = 0n;
        if (splat !== undefined) for (let s = 0; s < movWidth; s += words.elementBits) replicated |= splat << BigInt(s);
        const operand = splat === undefined ? ptx.input(bits, words.constraint) : ptx.hex(replicated);
        ptx.instruction(["mov", `u${movWidth}`], [output, operand]);
      }
    }
    const address = ptx.address(pointers[start]!, "l");
    const policy = cachePolicy(lo, evict);
    const parts = [
      "ld",
      op.isVolatile ? "volatile" : "",
      "global",
      cache === "ca" || cache === "cg" ? cache : "",
      ...evictionParts(evict, policy),
      words.count > 1 ? `v${words.count}` : "",
      `b${words.width}`,
    ];
    const operands = [ptx.list(outputs), address, ...(policy ? [ptx.input(policy, "l")] : [])];
    ptx.instruction(parts, operands, mask ? ptx.input(masks[start]!, "b") : undefined);

    const word = intType(ctx, words.width);
    const type = words.count > 1 ? structType(ctx, new Array<Type>(words.count).fill(word)) : word;
    const asm = ptx.launch(b, type);
    const vectors: Value[] = [];
    for (let i = 0; i < words.count; i++)
      vectors.push(b.bitcast(words.count > 1 ? b.extractValue(asm, i) : asm, vecType(element, words.perWord)));
    for (let i = 0; i < vec; i++) {
      const vector = vectors[Math.floor(i / words.perWord)]!;
      const index = b.index(i % words.perWord);
      loaded.push(VectorType.is(vector.type) ? b.extractElement(vector, index) : vector);
    }
  }
  lo.setElements(result, loaded);
  return undefined;
});

const STORE: LoweringRule = rule(StoreOp, (op, lo) => {
  const { ptr, value, mask, evict, cache } = op;
  const { b, ctx } = lo;
  const element = convertType(elementTypeOrSelf(value.type));
  if (LLVMPointerType.is(element)) return failForPointers(lo, op.op);
  const numElems = elementsPerThread(ptr.type);
  let vec = vectorSize(lo, ptr);
  const pointers = lo.elements(ptr);
  const values = lo.elements(value);
  const masks = mask ? lo.elements(mask) : [];
  if (mask) vec = Math.min(vec, lo.axisInfo.getMaskAlignment(mask));
  const words = wordsOf(Math.max(8, scalarBits(element)), vec);
  const free = freeVariableMasks(ptr.type);
  const thread = redundantThreadPredicate(lo, free);

  for (let start = 0; start < numElems; start += vec) {
    if ((start & free.register) !== 0) continue;
    const args: Value[] = [];
    for (let word = 0; word < words.count; word++) {
      let packed = b.undef(vecType(element, words.perWord));
      for (let i = 0; i < words.perWord; i++) {
        let item = values[start + word * words.perWord + i]!;
        if (isInteger(item.type, 1)) item = b.sext(item, intType(ctx, 8));
        if (!lo.folding || item.type !== element) item = b.bitcast(item, element);
        packed = b.insertElement(packed, item, b.i32(i));
      }
      args.push(b.bitcast(packed, intType(ctx, words.width)));
    }
    const ptx = new PtxBuilder();
    const list = ptx.list(args.map((arg) => ptx.input(arg, words.constraint)));
    const predicate = mask ? maybeAnd(lo, thread, masks[start]) : thread;
    const address = ptx.address(pointers[start]!, "l");
    const policy = cachePolicy(lo, evict);
    const parts = [
      "st",
      "global",
      ["wb", "cg", "cs", "wt"].includes(cache) ? cache : "",
      ...evictionParts(evict, policy),
      words.count > 1 ? `v${words.count}` : "",
      `b${words.width}`,
    ];
    const operands = [address, list, ...(policy ? [ptx.input(policy, "l")] : [])];
    ptx.instruction(parts, operands, predicate ? ptx.input(predicate, "b") : undefined);
    ptx.launch(b, voidType(ctx));
  }
  return undefined;
});

export const LOAD_STORE: readonly LoweringRule[] = [LOAD, STORE];
