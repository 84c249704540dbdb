/** Ops on small tensors of integers, one short method for each; such tensors lie in one thread. Source: TritonInstrument/IR/Utility.cpp, FunctionBuilder.cpp. */
import * as arith from "../../../dialects/arith/ops/index.js";
import { BranchOp, CondBranchOp } from "../../../dialects/cf/ops/branch.js";
import { LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { AddPtrOp } from "../../../dialects/tt/ops/pointer.js";
import { MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import { ReduceOp, ReduceReturnOp } from "../../../dialects/tt/ops/reduce.js";
import { BroadcastOp, ExpandDimsOp, SplatOp } from "../../../dialects/tt/ops/shape.js";
import { encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SliceEncoding } from "../../../dialects/ttg/encodings/slice.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { sameShape } from "../../../dialects/ttg/types.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import type { Block } from "../../../ir/block.js";
import { intAttr, splatOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, i1, i32, intType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import type { Context } from "../../../ir/context.js";
import type { Value } from "../../../ir/value.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

/** The type of a tensor of integers with rows in the registers of a thread. */
export function stateType(ctx: Context, shape: readonly number[], bits: number, numWarps: number): TensorType {
  const inRow = (n: number): number[] => [...shape.slice(1).map(() => 1), n];
  const order = shape.map((_, dim) => dim);
  const encoding = encodingAttr(ctx, {
    kind: "blocked",
    sizePerThread: [...shape],
    threadsPerWarp: inRow(32),
    warpsPerCTA: inRow(numWarps),
    order,
    cga: defaultCga(shape.length),
  });
  return tensorType(shape, intType(ctx, bits), encoding);
}

const sliced = (dim: number, parent: Attribute): Attribute => SliceEncoding.get(parent.ctx, { dim, parent });
const typeOf = (value: Value): TensorType => value.type as TensorType;
const withElements = ({ params: { shape, encoding } }: TensorType, element: Type): TensorType => tensorType(shape, element, encoding);
/** The layout of one dimension of a tensor with one or two. */
const layoutOfDim = ({ params: { shape, encoding } }: TensorType, dim: number): Attribute =>
  shape.length === 1 ? encoding! : sliced(1 - dim, encoding!);
const widthOf = (type: Type): number => bitWidth(elementTypeOrSelf(type))!;
export const conditionType = (type: TensorType): TensorType => withElements(type, i1(type.ctx));

export class TensorCode {
  constructor(readonly rw: Rewriter) {}
  get ctx(): Context {
    return this.rw.ctx;
  }

  // --- constants ------------------------------------------------------------------------------
  int(value: bigint | number, bits: number): Value {
    return this.rw.value(arith.ConstantOp, { value: intAttr(intType(this.ctx, bits), value) });
  }
  all(value: bigint | number, type: TensorType): Value {
    return this.rw.value(arith.ConstantOp, { value: splatOf(type, intAttr(type.params.elementType, value)) });
  }

  // --- arithmetic -----------------------------------------------------------------------------
  add = (lhs: Value, rhs: Value): Value => this.rw.value(arith.AddIOp, { lhs, rhs });
  sub = (lhs: Value, rhs: Value): Value => this.rw.value(arith.SubIOp, { lhs, rhs });
  mul = (lhs: Value, rhs: Value): Value => this.rw.value(arith.MulIOp, { lhs, rhs });
  and = (lhs: Value, rhs: Value): Value => this.rw.value(arith.AndIOp, { lhs, rhs });
  or = (lhs: Value, rhs: Value): Value => this.rw.value(arith.OrIOp, { lhs, rhs });
  xor = (lhs: Value, rhs: Value): Value => this.rw.value(arith.XOrIOp, { lhs, rhs });
  shl = (lhs: Value, rhs: Value): Value => this.rw.value(arith.ShLIOp, { lhs, rhs });
  shr = (lhs: Value, rhs: Value): Value => this.rw.value(arith.ShRUIOp, { lhs, rhs });
  select = (condition: Value, true_value: Value, false_value: Value): Value =>
    this.rw.value(arith.SelectOp, { condition, true_value, false_value });
  cmp = (predicate: "eq" | "ne" | "sgt" | "sge", lhs: Value, rhs: Value): Value => this.rw.value(arith.CmpIOp, { predicate, lhs, rhs });
  extend = (value: Value, type: Type): Value => this.rw.value(arith.ExtUIOp, { in: value }, { types: [type] });
  splat = (src: Value, type: TensorType): Value => this.rw.value(SplatOp, { src }, { types: [type] });
  /** The elements that are equal to a scalar, or compare so with it. */
  compareAll = (tensor: Value, scalar: Value, predicate: "eq" | "sgt" = "eq"): Value =>
    this.cmp(predicate, tensor, this.splat(scalar, typeOf(tensor)));
  /** An integer as one of the width of a tensor's elements. */
  asElement(value: Value, like: TensorType): Value {
    const { elementType } = like.params;
    const [from, to] = [widthOf(value.type), widthOf(elementType)];
    if (from === to) return value;
    return from < to ? this.extend(value, elementType) : this.rw.value(arith.TruncIOp, { in: value }, { types: [elementType] });
  }
  splatElement = (value: Value, type: TensorType): Value => this.splat(this.asElement(value, type), type);

  // --- shapes ---------------------------------------------------------------------------------
  range(end: number, encoding: Attribute): Value {
    return this.rw.value(MakeRangeOp, { start: 0, end }, { types: [tensorType([end], i32(this.ctx), encoding)] });
  }
  convert(src: Value, encoding: Attribute): Value {
    const { shape, elementType } = typeOf(src).params;
    return this.rw.value(ConvertLayoutOp, { src }, { types: [tensorType(shape, elementType, encoding)] });
  }
  #expand(tensor: Value): Value {
    const { shape, elementType, encoding } = typeOf(tensor).params;
    if (!SliceEncoding.is(encoding)) return tensor;
    const { dim, parent } = encoding.params;
    const types = [tensorType(shape.toSpliced(dim, 0, 1), elementType, parent)];
    return this.#expand(this.rw.value(ExpandDimsOp, { src: tensor, axis: dim }, { types }));
  }
  /** A vector as all columns (`dim` 1) or all rows (`dim` 0) of a matrix. */
  broadcast(vector: Value, dim: 0 | 1, like: TensorType): Value {
    const expanded = this.#expand(this.convert(vector, sliced(dim, like.params.encoding!)));
    return this.rw.value(BroadcastOp, { src: expanded }, { types: [withElements(like, typeOf(vector).params.elementType)] });
  }
  /** Or over a dimension. */
  orOver(tensor: Value, axis: number): Value {
    const { rw } = this;
    const reduce = rw.create(ReduceOp, { srcs: [tensor], axis });
    const { elementType } = typeOf(tensor).params;
    rw.preserving(() => {
      const body = rw.createBlock(reduce.combineOp, null, [elementType, elementType]);
      rw.create(ReduceReturnOp, { result: [this.or(body.args[0]!, body.args[1]!)] });
    });
    return reduce.result[0]!;
  }
  /** The column that is asked for. */
  columnMask(column: Value | number, like: TensorType): Value {
    const columns = like.params.shape[1]!;
    const range = this.range(columns, layoutOfDim(like, 1));
    const wanted = typeof column === "number" ? this.all(column, typeOf(range)) : this.splat(column, typeOf(range));
    return this.broadcast(this.cmp("eq", range, wanted), 0, like);
  }
  /** The columns whose bits are set in a constant. */
  columnsMask(columns: bigint, like: TensorType): Value {
    let mask = this.all(0, conditionType(like));
    for (let column = 0; column < 64; column++) if ((columns >> BigInt(column)) & 1n) mask = this.or(mask, this.columnMask(column, like));
    return mask;
  }
  /** The columns whose bits are set in a value. */
  columnsOf(bits: Value, like: TensorType): Value {
    const { shape, elementType } = like.params;
    const range = this.range(shape[1]!, layoutOfDim(like, 1));
    const wide = widthOf(elementType) === 32 ? range : this.extend(range, withElements(typeOf(range), elementType));
    const column = this.broadcast(wide, 0, like);
    const shifted = this.shr(this.splatElement(bits, like), column);
    return this.cmp("ne", this.and(shifted, this.all(1, like)), this.all(0, like));
  }

  // --- memory ---------------------------------------------------------------------------------
  /** The addresses of a tensor that lies in memory column by column. */
  #pointers(base: Value, type: TensorType): Value {
    const { shape } = type.params;
    const offsets = withElements(type, i32(this.ctx));
    let pointers = this.splat(base, withElements(type, base.type));
    let stride = 1;
    shape.forEach((extent, dim) => {
      const range = this.range(extent, layoutOfDim(type, dim));
      const expanded = this.#expand(this.mul(range, this.all(stride, typeOf(range))));
      const whole = sameShape(typeOf(expanded).params.shape, shape);
      const offset = whole ? expanded : this.rw.value(BroadcastOp, { src: expanded }, { types: [offsets] });
      pointers = this.rw.value(AddPtrOp, { ptr: pointers, offset }, { types: [pointers.type] });
      stride *= extent;
    });
    return pointers;
  }
  load = (base: Value, type: TensorType): Value => this.rw.value(LoadOp, { ptr: this.#pointers(base, type) }, { types: [type] });
  store(base: Value, value: Value, type: TensorType): void {
    this.rw.create(StoreOp, { ptr: this.#pointers(base, type), value });
  }

  // --- control --------------------------------------------------------------------------------
  /** Makes `body` where the condition holds, and goes on after it; the block has no terminator yet. */
  whereTrue(block: Block, condition: Value, body: () => void): void {
    const { rw } = this;
    const region = block.region!;
    const inside = rw.createBlock(region);
    const after = rw.createBlock(region);
    const operands = { trueDestOperands: [], falseDestOperands: [] };
    rw.setEnd(block).create(CondBranchOp, { condition, trueDest: inside, falseDest: after, ...operands });
    rw.setEnd(inside);
    body();
    rw.create(BranchOp, { dest: after, destOperands: [] });
    rw.setEnd(after);
  }
}
