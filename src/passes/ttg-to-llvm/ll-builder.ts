/**
 * Makes ops of the LLVM dialect in short form, at the end of a block.
 *
 *     const offset = b.add(b.mul(row, b.i32(64)), column);
 *     const pointer = b.gep(ptrType(ctx, 3), i8(ctx), base, [offset], { inbounds: true });
 *
 * Nothing is folded here but this: while `folding` is on, equal constants (undef and addresses of globals among them) are made
 * once, at the start of the function, where the canonicalizer after the lowering would put them.
 * Source: include/triton/Conversion/TritonGPUToLLVM/Utility.h, TritonLLVMOpBuilder.
 */

import * as ll from "../../dialects/llvm/ops/index.js";
import { LLVMStructType, ptrType, structElements } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { buildOperation } from "../../ir/builder.js";
import {
  type DictAttr,
  dictAttr,
  floatAttr,
  i32ArrayAttr,
  i64ArrayAttr,
  intAttr,
  stringAttr,
  typeAttr,
  unitAttr,
} from "../../ir/builtin-attrs.js";
import {
  bitWidth,
  f16,
  f32,
  floatType,
  i1,
  i8,
  i16,
  i32,
  i64,
  indexType,
  intType,
  shapedParams,
  VectorType,
} from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import type { OpDef, TypedOpDef } from "../../ir/define-op.js";
import type { LocationRef } from "../../ir/location.js";
import { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";

/** A vector type of `count` elements. */
export const vecType = (element: Type, count: number): Type =>
  VectorType.get(element.ctx, { shape: [count], elementType: element, scalable: undefined });

/** The bits of a scalar of the LLVM dialect; pointers count as 64, those to shared memory too. */
export function scalarBits(type: Type): number {
  return bitWidth(type) ?? 64;
}
export type ICmp = "eq" | "ne" | "slt" | "sle" | "sgt" | "sge" | "ult" | "ule" | "ugt" | "uge";
/** The attribute of `llvm.getelementptr` for an index that is a value. */
const DYNAMIC_INDEX = -2147483648;

/** Makes ops of the LLVM dialect at a place, with a location. */
export class LLBuilder {
  block!: Block;
  /** New ops go before this one; at the end of `block` when null. */
  before: Operation | null = null;
  loc: LocationRef = 0;
  /** Makes ops with the location of a value. */
  atValue<T>({ definingOp, argLoc = 0 }: Value, make: () => T): T {
    return this.at(definingOp?.locRef ?? argLoc, make);
  }
  /** Makes ops with another location. */
  at<T>(loc: LocationRef, make: () => T): T {
    const saved = this.loc;
    this.loc = loc;
    const made = make();
    this.loc = saved;
    return made;
  }
  /** Where constants go while `folding`: after this op in `constantBlock`. */
  #constantBlock: Block | undefined;
  #lastConstant: Operation | null = null;
  #constants = new Map<Type, Map<Attribute | string, Value>>();
  readonly #defaults = new Map<OpDef, DictAttr>();
  readonly #positions: DictAttr[] = [];
  readonly #geps = new Map<string, DictAttr>();

  constructor(
    readonly ctx: Context,
    readonly folding: boolean,
  ) {}

  /** Starts a function: constants go to the start of this block. */
  startFunction(entry: Block): void {
    this.#constantBlock = entry;
    this.#lastConstant = null;
    this.#constants = new Map();
    this.setEnd(entry);
  }
  /** As a function's are, the constants of a region that sees nothing from outside go to the start of its own first block. */
  inIsolated<T>(entry: Block, body: () => T): T {
    const [block, last, constants] = [this.#constantBlock, this.#lastConstant, this.#constants];
    this.startFunction(entry);
    const result = body();
    this.#constantBlock = block;
    this.#lastConstant = last;
    this.#constants = constants;
    return result;
  }
  setEnd(block: Block): void {
    this.block = block;
    this.before = null;
  }
  /** New ops go after `after` (at the start of the block when null), and after all constants. */
  setAfter(block: Block, after: Operation | null): void {
    const amongConstants = this.folding && block === this.#constantBlock && (!after || after.def.isConstantLike);
    const last = amongConstants ? this.#lastConstant : after;
    this.block = block;
    this.before = last ? last.next : block.firstOp;
  }
  insert(op: Operation): Operation {
    this.block.insert(op, this.before);
    return op;
  }

  /** An op from its parts, its attributes at their defaults or as given; for ops that have no short form here. */
  create<O, A, R, G, S>(
    def: TypedOpDef<O, A, R, G, S>,
    args: Readonly<Record<string, unknown>>,
    types?: readonly Type[],
    extraAttrs?: readonly (readonly [string, Attribute])[],
  ): Operation {
    return this.insert(buildOperation(this.ctx, def, args, this.loc, types, extraAttrs));
  }
  /** As `create`, for an op with one result. */
  value<O, A, R, G, S>(
    def: TypedOpDef<O, A, R, G, S>,
    args: Readonly<Record<string, unknown>>,
    type?: Type,
    extraAttrs?: readonly (readonly [string, Attribute])[],
  ): Value {
    return this.create(def, args, type ? [type] : undefined, extraAttrs).result(0);
  }
  /** The quick way for ops whose operands are a plain list: attributes as given, else the definition's defaults. */
  op(def: OpDef, operands: readonly Value[], type: Type, attrs = this.defaultAttrs(def)): Value {
    const op = new Operation(this.ctx, def, { loc: this.loc, operands, resultTypes: [type], attrs });
    this.block.insert(op, this.before);
    return op.results[0]!;
  }
  /** The attributes an op has when none are given. */
  defaultAttrs(def: OpDef): DictAttr {
    let attrs = this.#defaults.get(def);
    if (!attrs) {
      attrs = dictAttr(
        this.ctx,
        def.attrs.flatMap((a) => (a.default ? [[a.name, a.default(this.ctx)] as const] : [])),
      );
      this.#defaults.set(def, attrs);
    }
    return attrs;
  }

  // --- constants ----------------------------------------------------------------------------
  /** Makes a constant-like op, or finds the one that was made. `key` distinguishes it from others of its type. */
  #constant(type: Type, key: Attribute | string, make: () => Operation): Value {
    if (!this.folding) return this.insert(make()).result(0);
    let ofType = this.#constants.get(type);
    if (!ofType) this.#constants.set(type, (ofType = new Map()));
    let value = ofType.get(key);
    if (!value) {
      const op = make();
      const block = this.#constantBlock!;
      block.insert(op, this.#lastConstant ? this.#lastConstant.next : block.firstOp);
      this.#lastConstant = op;
      value = op.result(0);
      ofType.set(key, value);
    }
    return value;
  }
  /** Equal constants are one, whatever else is said of the others. */
  constant(type: Type, value: Attribute, extraAttrs?: readonly (readonly [string, Attribute])[]): Value {
    return this.#constant(type, value, () => buildOperation(this.ctx, ll.ConstantOp, { value }, this.loc, [type], extraAttrs));
  }
  int(type: Type, value: bigint | number): Value {
    return this.constant(type, intAttr(type, value));
  }
  i1(value: boolean): Value {
    return this.int(i1(this.ctx), value ? 1 : 0);
  }
  i8(value: number): Value {
    return this.int(i8(this.ctx), value);
  }
  i16(value: number): Value {
    return this.int(i16(this.ctx), value);
  }
  i32(value: number): Value {
    return this.int(i32(this.ctx), value);
  }
  i64(value: bigint | number): Value {
    return this.int(i64(this.ctx), value);
  }
  float(type: Type, value: number): Value {
    return this.constant(type, floatAttr(type, value));
  }
  f32(value: number): Value {
    return this.float(f32(this.ctx), value);
  }
  f16(value: number): Value {
    return this.float(f16(this.ctx), value);
  }
  f64(value: number): Value {
    return this.float(floatType(this.ctx, "f64"), value);
  }
  /** A constant of the index type, which is i32 here: its attribute stays an index. */
  index(value: number): Value {
    return this.constant(i32(this.ctx), intAttr(indexType(this.ctx), value));
  }
  undef(type: Type): Value {
    return this.#constant(type, "undef", () => new Operation(this.ctx, ll.UndefOp, { loc: this.loc, resultTypes: [type] }));
  }
  poison(type: Type): Value {
    return this.#constant(type, "poison", () => new Operation(this.ctx, ll.PoisonOp, { loc: this.loc, resultTypes: [type] }));
  }
  /** The null pointer, or a zero of any type. */
  zero(type: Type): Value {
    return this.#constant(type, "zero", () => new Operation(this.ctx, ll.ZeroOp, { loc: this.loc, resultTypes: [type] }));
  }
  addressOf(symbol: string, type: Type): Value {
    return this.#constant(type, `@${symbol}`, () => buildOperation(this.ctx, ll.AddressOfOp, { global_name: symbol }, this.loc, [type]));
  }

  // --- integers and floats ------------------------------------------------------------------
  add = (a: Value, b: Value): Value => this.op(ll.AddOp, [a, b], a.type);
  sub = (a: Value, b: Value): Value => this.op(ll.SubOp, [a, b], a.type);
  mul = (a: Value, b: Value): Value => this.op(ll.MulOp, [a, b], a.type);
  udiv = (a: Value, b: Value): Value => this.op(ll.UDivOp, [a, b], a.type);
  sdiv = (a: Value, b: Value): Value => this.op(ll.SDivOp, [a, b], a.type);
  urem = (a: Value, b: Value): Value => this.op(ll.URemOp, [a, b], a.type);
  and = (a: Value, b: Value): Value => this.op(ll.AndOp, [a, b], a.type);
  or = (a: Value, b: Value): Value => this.op(ll.OrOp, [a, b], a.type);
  xor = (a: Value, b: Value): Value => this.op(ll.XOrOp, [a, b], a.type);
  shl = (a: Value, b: Value): Value => this.op(ll.ShlOp, [a, b], a.type);
  lshr = (a: Value, b: Value): Value => this.op(ll.LShrOp, [a, b], a.type);
  ashr = (a: Value, b: Value): Value => this.op(ll.AShrOp, [a, b], a.type);
  fadd = (a: Value, b: Value): Value => this.op(ll.FAddOp, [a, b], a.type);
  fsub = (a: Value, b: Value): Value => this.op(ll.FSubOp, [a, b], a.type);
  fmul = (a: Value, b: Value): Value => this.op(ll.FMulOp, [a, b], a.type);
  /** An or of values that have no bit in common. */
  orDisjoint(a: Value, b: Value): Value {
    const attrs = this.ctx.memo("or-disjoint", () => dictAttr(this.ctx, [["isDisjoint", unitAttr(this.ctx)]]));
    return this.op(ll.OrOp, [a, b], a.type, attrs);
  }
  icmp(predicate: ICmp, a: Value, b: Value): Value {
    return this.value(ll.ICmpOp, { predicate, lhs: a, rhs: b }, i1(this.ctx));
  }
  fcmp(predicate: string, a: Value, b: Value): Value {
    return this.value(ll.FCmpOp, { predicate, lhs: a, rhs: b }, i1(this.ctx));
  }
  select = (condition: Value, a: Value, b: Value): Value => this.op(ll.SelectOp, [condition, a, b], a.type);

  // --- casts ----------------------------------------------------------------------------------
  bitcast = (v: Value, type: Type): Value => this.op(ll.BitcastOp, [v], type);
  zext = (v: Value, type: Type): Value => this.op(ll.ZExtOp, [v], type);
  sext = (v: Value, type: Type): Value => this.op(ll.SExtOp, [v], type);
  trunc = (v: Value, type: Type): Value => this.op(ll.TruncOp, [v], type);
  fpext = (v: Value, type: Type): Value => this.op(ll.FPExtOp, [v], type);
  fptrunc = (v: Value, type: Type): Value => this.op(ll.FPTruncOp, [v], type);
  ptrtoint = (v: Value, type: Type): Value => this.op(ll.PtrToIntOp, [v], type);
  inttoptr = (v: Value, type: Type): Value => this.op(ll.IntToPtrOp, [v], type);

  // --- structs and vectors ----------------------------------------------------------------------
  extractValue(container: Value, position: number): Value {
    const type = structElements(container.type as Parameters<typeof structElements>[0])[position]!;
    return this.op(ll.ExtractValueOp, [container], type, this.#position(position));
  }
  insertValue(container: Value, value: Value, position: number): Value {
    return this.op(ll.InsertValueOp, [container, value], container.type, this.#position(position));
  }
  #position(position: number): DictAttr {
    return (this.#positions[position] ??= dictAttr(this.ctx, [["position", i64ArrayAttr(this.ctx, [position])]]));
  }
  /** A struct of these values, filled in one by one. */
  packStruct(type: Type, values: readonly Value[]): Value {
    let struct = this.undef(type);
    for (let i = 0; i < values.length; i++) struct = this.insertValue(struct, values[i]!, i);
    return struct;
  }
  unpackStruct(struct: Value): Value[] {
    if (!LLVMStructType.is(struct.type)) return [struct];
    return structElements(struct.type).map((_, i) => this.extractValue(struct, i));
  }
  extractElement = (vector: Value, index: Value): Value =>
    this.op(ll.ExtractElementOp, [vector, index], shapedParams(vector.type).elementType);
  insertElement = (vector: Value, value: Value, index: Value): Value => this.op(ll.InsertElementOp, [vector, value, index], vector.type);
  packVector(values: readonly Value[]): Value {
    let vector = this.undef(vecType(values[0]!.type, values.length));
    values.forEach((value, i) => (vector = this.insertElement(vector, value, this.i32(i))));
    return vector;
  }
  unpackVector(vector: Value): Value[] {
    if (!VectorType.is(vector.type)) return [vector];
    return Array.from({ length: vector.type.params.shape[0]! }, (_, i) => this.extractElement(vector, this.i32(i)));
  }

  // --- memory -----------------------------------------------------------------------------------
  /** The address of an element: indices count elements of `elementType` and are values or constants. */
  gep(type: Type, elementType: Type, base: Value, indices: readonly (Value | number)[], { inbounds = false } = {}): Value {
    const raw = indices.map((i) => (typeof i === "number" ? i : DYNAMIC_INDEX));
    const key = `${raw.join()} ${inbounds}`;
    const memoKey = `gep ${key} ${elementType.id}`;
    let attrs = this.#geps.get(memoKey);
    if (!attrs) {
      const flags = ll.GEPOp.attrs.find((a) => a.name === "noWrapFlags")!;
      attrs = dictAttr(this.ctx, [
        ["elem_type", typeAttr(elementType)],
        ["noWrapFlags", flags.constraint.write!(this.ctx, inbounds ? 3 : 0)],
        ["rawConstantIndices", i32ArrayAttr(this.ctx, raw)],
      ]);
      this.#geps.set(memoKey, attrs);
    }
    return this.op(ll.GEPOp, [base, ...indices.filter((i): i is Value => typeof i !== "number")], type, attrs);
  }
  load(type: Type, address: Value, alignment?: number): Value {
    return this.value(ll.LoadOp, { addr: address, ...(alignment === undefined ? {} : { alignment: BigInt(alignment) }) }, type);
  }
  store(value: Value, address: Value, alignment?: number): void {
    this.create(ll.StoreOp, { value, addr: address, ...(alignment === undefined ? {} : { alignment: BigInt(alignment) }) });
  }

  // --- calls --------------------------------------------------------------------------------------
  /** `llvm.call_intrinsic`; no result without a type. */
  intrinsic(name: string, type: Type | undefined, args: readonly Value[]): Value | undefined {
    const op = this.create(ll.CallIntrinsicOp, { intrin: name, args, op_bundle_operands: [], op_bundle_sizes: [] }, type ? [type] : []);
    return op.results[0];
  }
  call(callee: string, type: Type | undefined, args: readonly Value[]): Value | undefined {
    const op = this.create(ll.CallOp, { callee, callee_operands: args, op_bundle_operands: [], op_bundle_sizes: [] }, type ? [type] : []);
    return op.results[0];
  }
  /** PTX with operands by constraints, in Triton's manner: AT&T dialect and an empty list of operand attributes. */
  inlineAsm(
    asm: string,
    constraints: string,
    operands: readonly Value[],
    type: Type,
    { sideEffects = true, operandAttrs = true }: { readonly sideEffects?: boolean; readonly operandAttrs?: boolean } = {},
  ): Value {
    return this.value(
      ll.InlineAsmOp,
      {
        operands,
        asm_string: stringAttr(this.ctx, asm),
        constraints: stringAttr(this.ctx, constraints),
        has_side_effects: sideEffects,
        asm_dialect: "att",
        ...(operandAttrs ? { operand_attrs: [] } : {}),
      },
      type,
    );
  }
  int1 = (): Type => i1(this.ctx);
  intN = (width: number): Type => intType(this.ctx, width);
  ptr = (addressSpace = 0): Type => ptrType(this.ctx, addressSpace);
}
