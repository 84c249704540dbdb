/** Constants, and parts of aggregates: lists of registers that are cut and joined. */
import * as llvm from "../../../dialects/llvm/ops/index.js";
import { LLVMPointerType } from "../../../dialects/llvm/types/types.js";
import type { Type } from "../../../ir/attribute.js";
import { DenseElementsAttr, FloatAttr, IntegerAttr, intsOf, SymbolRefAttr } from "../../../ir/builtin-attrs.js";
import type { Value } from "../../../ir/value.js";
import { ptxIdentifier } from "../../../ptx/identifier.js";
import { type FunctionText, NotExecutable } from "../function-text.js";
import { elementsOf, type Leaf, leafOffset } from "../leaves.js";
import { constantIndex, type Family, type Rule } from "./rule.js";

const constant: Rule = (f, op) => {
  const value = op.attr("value");
  const leaves = f.leaves(op.result(0).type);
  const bits = IntegerAttr.is(value)
    ? [value.params.value]
    : FloatAttr.is(value)
      ? [value.params.bits]
      : DenseElementsAttr.is(value)
        ? value.params.elements
        : undefined;
  if (bits === undefined) throw new NotExecutable("a constant of another kind");
  f.define(op.result(0)).forEach((d, i) => put(f, d, leaves[i]!.bits, bits[bits.length === 1 ? 0 : i]!));
};

function put(f: FunctionText, d: string, bits: Leaf["bits"], value: bigint): void {
  if (bits === 1) f.put(`mov.pred ${d}, ${value === 0n ? 0 : -1}`);
  else f.put(`mov.b${Math.max(bits, 16)} ${d}, 0x${BigInt.asUintN(bits, value).toString(16)}`);
}

const zero: Rule = (f, op) => {
  const leaves = f.leaves(op.result(0).type);
  f.define(op.result(0)).forEach((d, i) => put(f, d, leaves[i]!.bits, 0n));
};

const addressOf: Rule = (f, op) => {
  const [d] = f.define(op.result(0));
  const { type } = op.result(0);
  const symbol = op.attr("global_name");
  const name = SymbolRefAttr.is(symbol) ? ptxIdentifier(symbol.params.root) : "";
  const space = LLVMPointerType.is(type) ? type.params.addressSpace : 0;
  f.put(`mov.b${space === 3 ? 32 : 64} ${d}, ${name}`); // generic addresses of global memory are its own
};

/** Scalars [from, to) of an aggregate at a position. */
function range(f: FunctionText, type: Type, position: readonly number[]): readonly [number, number] {
  let from = 0;
  let at = type;
  for (const index of position) {
    from += leafOffset(at, index);
    at = elementsOf(at)![index]!;
  }
  return [from, from + f.leaves(at).length];
}

const extractValue: Rule = (f, op) => {
  const [from, to] = range(f, op.operand(0).type, intsOf(op.attr("position")) ?? []);
  f.bind(op.result(0), f.use(op.operand(0)).slice(from, to));
};

const insertValue: Rule = (f, op) => {
  const { container, value } = llvm.InsertValueOp.match(op)!;
  const [from, to] = range(f, container.type, intsOf(op.attr("position")) ?? []);
  const registers = f.use(container);
  f.bind(op.result(0), [...registers.slice(0, from), ...f.use(value), ...registers.slice(to)]);
};

/** A predicate: whether a number that is not known is `i`. */
function isAt(f: FunctionText, position: Value, i: number): string {
  const p = f.fresh(1);
  f.put(`setp.eq.b${f.leaves(position.type)[0]!.bits} ${p}, ${f.scalar(position)}, ${i}`);
  return p;
}
function choose(f: FunctionText, d: string, yes: string, no: string, p: string, bits: Leaf["bits"]): void {
  if (bits === 1) throw new NotExecutable("a predicate at a position that is not constant");
  f.put(`selp.b${Math.max(bits, 16)} ${d}, ${yes}, ${no}, ${p}`);
}

const extractElement: Rule = (f, op) => {
  const { vector, position } = llvm.ExtractElementOp.match(op)!;
  const index = constantIndex(position);
  const elements = f.use(vector);
  if (index !== undefined) return f.bind(op.result(0), [elements[index]!]);
  const { bits } = f.leaves(op.result(0).type)[0]!;
  const [d] = f.define(op.result(0));
  f.move(d!, elements[0]!, bits);
  elements.slice(1).forEach((element, i) => choose(f, d!, element, d!, isAt(f, position, i + 1), bits));
};

const insertElement: Rule = (f, op) => {
  const { vector, value, position } = llvm.InsertElementOp.match(op)!;
  const index = constantIndex(position);
  const [elements, own] = [f.use(vector), f.scalar(value)];
  if (index !== undefined)
    return f.bind(
      op.result(0),
      elements.map((r, i) => (i === index ? own : r)),
    );
  const { bits } = f.leaves(value.type)[0]!;
  f.define(op.result(0)).forEach((d, i) => choose(f, d, own, elements[i]!, isAt(f, position, i), bits));
};

const shuffleVector: Rule = (f, op) => {
  const both = [...f.use(op.operand(0)), ...f.use(op.operand(1))];
  const mask = intsOf(op.attr("mask")) ?? [];
  f.bind(
    op.result(0),
    mask.map((i) => both[Math.max(i, 0)]!),
  );
};

export const AGGREGATES: Family = [
  ["llvm.mlir.constant", constant],
  ...["llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.zero", "ub.poison"].map((name) => [name, zero] as const),
  ["llvm.mlir.addressof", addressOf],
  ["llvm.extractvalue", extractValue],
  ["llvm.insertvalue", insertValue],
  ["llvm.extractelement", extractElement],
  ["llvm.insertelement", insertElement],
  ["llvm.shufflevector", shuffleVector],
];
