/** Scalars and vectors in shared memory. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TargetInfo.cpp, loadDShared, storeDShared. */
import { LLVMPointerType, ptrType, structType, voidType } from "../../../dialects/llvm/types/types.js";
import { MapaOp } from "../../../dialects/nvvm/ops/index.js";
import type { Type } from "../../../ir/attribute.js";
import { i8, i32, intType, isInteger, shapedParams, VectorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { type LLBuilder, scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { SharedAccess } from "../../ttg-to-llvm/target-code.js";
import type { NvidiaForms } from "./code-forms.js";
import { PtxBuilder } from "./ptx-builder.js";

const constraintOf = (bits: number): string => (bits <= 16 ? "h" : bits === 32 ? "r" : "l");
const elementOf = (vector: Type): Type => shapedParams(vector).elementType;
const lengthOf = (vector: Type): number => shapedParams(vector).shape[0]!;

/** Stores a scalar or a vector: elements as integers of at least 8 bits, in words of at most 4, 128 bits at once. */
export function storeShared(forms: NvidiaForms, b: LLBuilder, pointer: Value, value: Value, access: SharedAccess = {}): void {
  const { ctx } = b;
  if (!VectorType.is(value.type)) return storeShared(forms, b, pointer, b.packVector([value]), access);
  const element = elementOf(value.type);
  const vec = lengthOf(value.type);
  const bits = scalarBits(element);
  const again = (values: readonly Value[], at = pointer): void => storeShared(forms, b, at, b.packVector(values), access);

  if (bits < 8) return again(b.unpackVector(value).map((v) => b.zext(b.bitcast(v, intType(ctx, bits)), i8(ctx))));
  if (!isInteger(element)) {
    const type = intType(ctx, bits);
    return again(b.unpackVector(value).map((v) => (LLVMPointerType.is(v.type) ? b.ptrtoint(v, type) : b.bitcast(v, type))));
  }
  if (vec > 4 && bits < 32) {
    const elements = b.unpackVector(value);
    const perWord = 32 / bits;
    const words: Value[] = [];
    for (let i = 0; i < vec; i += perWord) words.push(b.bitcast(b.packVector(elements.slice(i, i + perWord)), i32(ctx)));
    return again(words);
  }
  if (vec * bits > 128) {
    const most = 128 / bits;
    const elements = b.unpackVector(value);
    for (let i = 0; i < vec; i += most)
      again(elements.slice(i, i + most), b.gep(pointer.type, element, pointer, [b.i32(i)], { inbounds: true }));
    return;
  }

  const at = inCTA(b, pointer, access);
  if (!access.predicate && !forms.storeByAsm) return b.store(value, at, (vec * bits) / 8);
  const ptx = new PtxBuilder();
  const address = ptx.address(at, "r");
  const constraint = constraintOf(bits);
  const operand = vec > 1 ? ptx.list(b.unpackVector(value).map((v) => ptx.input(v, constraint))) : ptx.input(value, constraint);
  const guard = access.predicate && ptx.input(access.predicate, "b");
  ptx.instruction(["st", spaceOf(forms, access), vec > 1 ? `v${vec}` : "", `b${bits}`], [address, operand], guard);
  ptx.launch(b, voidType(ctx));
}

/** Loads a scalar or a vector; the counterpart of `storeShared`. */
export function loadShared(forms: NvidiaForms, b: LLBuilder, pointer: Value, type: Type, access: SharedAccess = {}): Value {
  const { ctx } = b;
  if (!VectorType.is(type)) return b.unpackVector(loadShared(forms, b, pointer, vecType(type, 1), access))[0]!;
  const element = elementOf(type);
  const vec = lengthOf(type);
  const bits = scalarBits(element);

  if (bits < 8) {
    const [byte] = b.unpackVector(loadShared(forms, b, pointer, i8(ctx), access));
    return b.bitcast(b.trunc(byte!, intType(ctx, bits)), element);
  }
  if (!isInteger(element)) {
    const values = b.unpackVector(loadShared(forms, b, pointer, vecType(intType(ctx, bits), vec), access));
    return b.packVector(values.map((v) => b.bitcast(v, element)));
  }
  if (vec > 4 && bits < 32) {
    const words = loadShared(forms, b, pointer, vecType(i32(ctx), vec / (32 / bits)), access);
    const values = b.unpackVector(words).flatMap((word) => b.unpackVector(b.bitcast(word, vecType(element, 32 / bits))));
    return b.packVector(values);
  }
  if (vec * bits > 128) {
    const most = 128 / bits;
    const values: Value[] = [];
    for (let i = 0; i < vec; i += most) {
      const at = b.gep(pointer.type, element, pointer, [b.i32(i)], { inbounds: true });
      values.push(...b.unpackVector(loadShared(forms, b, at, vecType(element, most), access)));
    }
    return b.packVector(values);
  }

  const at = inCTA(b, pointer, access);
  if (!access.predicate) {
    const loaded = b.load(vec === 1 ? element : vecType(element, vec), at, (vec * bits) / 8);
    return b.packVector(vec === 1 ? [loaded] : b.unpackVector(loaded));
  }
  const ptx = new PtxBuilder();
  const constraint = `=${constraintOf(bits)}`;
  const outputs = Array.from({ length: vec }, () => ptx.output(constraint));
  const address = ptx.address(at, "r");
  const guard = ptx.input(access.predicate, "b");
  ptx.instruction(
    ["ld", spaceOf(forms, access), vec > 1 ? `v${vec}` : "", `b${bits}`],
    [vec > 1 ? ptx.list(outputs) : outputs[0]!, address],
    guard,
  );
  const asm = ptx.launch(b, vec > 1 ? structType(ctx, new Array<Type>(vec).fill(element)) : element);
  return b.packVector(b.unpackStruct(asm));
}
const spaceOf = (forms: NvidiaForms, { ctaId }: SharedAccess): string => (ctaId ? forms.remoteSpace : forms.ownSpace);
/** The address of the same place in another CTA's shared memory. */
function inCTA(b: LLBuilder, pointer: Value, { ctaId, predicate }: SharedAccess): Value {
  if (!ctaId) return pointer;
  const type = ptrType(b.ctx, 7);
  if (!predicate) return b.value(MapaOp, { a: pointer, b: ctaId }, type);
  const ptx = new PtxBuilder();
  const operands = [ptx.output("=r"), ptx.input(pointer, "r"), ptx.input(ctaId, "r")];
  ptx.instruction(["mapa", "shared::cluster.u32"], operands, ptx.input(predicate, "b"));
  return ptx.launch(b, type, false);
}
