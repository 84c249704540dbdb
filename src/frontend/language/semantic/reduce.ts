/** Reductions, scans and maps: ops with a region that calls a function of the user's. Source: semantic.py, core.py. */
import { MapElementwiseOp, MapElementwiseReturnOp } from "../../../dialects/tt/ops/elementwise.js";
import { GatherOp, HistogramOp } from "../../../dialects/tt/ops/gather.js";
import { ReduceOp, ReduceReturnOp, ScanOp, ScanReturnOp } from "../../../dialects/tt/ops/reduce.js";
import { Block } from "../../../ir/block.js";
import type { OpDef } from "../../../ir/define-op.js";
import { resolveLocation, unknownLoc } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import { LIMITS, limitMessage } from "../../../support/limits.js";
import * as gluon from "../../gluon/semantic/shape.js";
import { check, raise } from "../errors.js";
import { noAttribute, pyTypeName, sameType, typeName } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import { blockType, type Dtype, INT1, INT32, isInt, type PointerType, scalarOf, type TensorType, withElement } from "../types.js";
import { dtypeOf, elementsOf, extentsOf, isBlockTensor, isTensor, type PyValue, type Tensor, tensor } from "../values.js";
import { emit, emitOp, guardInsertion, irType } from "./emit.js";
import { broadcastTensors, broadcastToShape, listText, reshape } from "./shape.js";

/** Reduces along `axis`, or all elements where it is undefined. One result for each input. */
export function reduction(s: Semantic, given: readonly Tensor[], axis: number | undefined, combine: PyValue): readonly Tensor[] {
  const inputs = axis === undefined ? given.map((t) => reshape(s, t, [numel(t)], !s.isGluon)) : given;
  const dim = axis ?? 0;
  const shape = blockShape(inputs[0]!);
  if (s.isGluon) {
    gluon.expect(dim < shape.length, () => `expected reduction axis to be in the range [0, ${shape.length}) but got ${dim}`);
    gluon.checkSameLayout(inputs);
  }
  check(dim < shape.length, `reduction axis must be < inputs rank (${shape.length})`);
  const rest = shape.filter((_, i) => i !== dim);
  check(
    inputs.every((t) => listText(extentsOf(t)) === listText(shape)),
    "all reduction inputs must have the same shape",
  );
  const parts = { srcs: inputs.map((t) => t.handle), axis: dim };
  if (s.isGluon) {
    const op = emitOp(s, ReduceOp, parts);
    combineRegion(s, op, inputs, combine, ReduceReturnOp);
    return inputs.map((t, i) => gluon.withInferredLayout(op.result(i), dtypeOf(t), rest));
  }
  const types = inputs.map((t) => ofShape(dtypeOf(t), rest));
  const op = emitOp(
    s,
    ReduceOp,
    parts,
    types.map((type) => irType(s, type)),
  );
  combineRegion(s, op, inputs, combine, ReduceReturnOp);
  return types.map((type, i) => tensor(op.result(i), type));
}

export function scan(s: Semantic, inputs: readonly Tensor[], axis: number, combine: PyValue, reverse: boolean): readonly Tensor[] {
  const shape = blockShape(inputs[0]!);
  for (const t of inputs) check(listText(extentsOf(t)) === listText(shape), "all scan inputs must have the same shape");
  const types = inputs.map((t) => t.type);
  const op = emitOp(
    s,
    ScanOp,
    { srcs: inputs.map((t) => t.handle), axis, reverse },
    types.map((type) => irType(s, type)),
  );
  combineRegion(s, op, inputs, combine, ScanReturnOp);
  return types.map((type, i) => tensor(op.result(i), type));
}

const numel = (t: Tensor): number => extentsOf(t).reduce((a, b) => a * b, 1);
const ofShape = (element: Dtype | PointerType, shape: readonly number[]): TensorType =>
  shape.length > 0 ? blockType(element, shape) : element;
function blockShape(t: Tensor): readonly number[] {
  return isBlockTensor(t) ? t.type.shape : raise("AttributeError", noAttribute(t.type, "shape"));
}

/** The region that calls `combine` on the elements of two places. */
function combineRegion(s: Semantic, op: Operation, inputs: readonly Tensor[], combine: PyValue, returns: OpDef): void {
  const elements = inputs.map(dtypeOf);
  guardInsertion(s, () => {
    const block = op.regions[0]!.addBlock();
    const args = [...elements, ...elements].map((type) => tensor(block.addArgument(irType(s, type), unknownLoc(s.ctx)), type));
    s.b.setEnd(block);
    const results = resultTensors(s.call(combine, args));
    check(
      results.length === elements.length && results.every((r, i) => sameType(r.type, elements[i]!)),
      `the function must return ${typesText(elements)}, but it returns ${typesText(results.map((r) => r.type))}`,
    );
    emitOp(s, returns, { result: results.map((r) => r.handle) });
  });
}
const typesText = (types: readonly TensorType[]): string => types.map(typeName).join(", ");
function resultTensors(results: PyValue): readonly Tensor[] {
  const list = isTensor(results) ? [results] : elementsOf(results);
  if (!list) return raise("TypeError", `'${pyTypeName(results)}' object is not iterable`);
  return list.map((r) => (isTensor(r) ? r : raise("AttributeError", noAttribute(r, "handle"))));
}

/** Runs a function of scalars on every element, `pack` at a time. Returns whether it gives one result, and the results. */
export function mapElementwise(
  s: Semantic,
  fn: PyValue,
  args: readonly Tensor[],
  pack: number,
): { readonly single: boolean; readonly results: readonly Tensor[] } {
  check(pack <= LIMITS["packed-elements"].most, limitMessage("packed-elements"));
  const { loc } = s.b;
  const block = new Block(s.ctx);
  const scalars: Tensor[] = [];
  for (const arg of args)
    for (let i = 0; i < pack; i++)
      scalars.push(tensor(block.addArgument(irType(s, dtypeOf(arg)), resolveLocation(s.ctx, loc)), dtypeOf(arg)));
  let returned: PyValue = null;
  let flat: readonly Tensor[] = [];
  guardInsertion(s, () => {
    s.b.setStart(block);
    s.b.loc = unknownLoc(s.ctx);
    returned = s.call(fn, scalars);
    flat = resultTensors(returned);
    check(!flat.some(isBlockTensor), `the function must return scalars, but it returns ${typesText(flat.map((r) => r.type))}`);
    s.b.loc = loc;
    emitOp(s, MapElementwiseReturnOp, { result: flat.map((r) => r.handle) });
  });
  const types = flat.filter((_, i) => i % pack === 0).map((r) => r.type);
  for (let offset = 1; offset < pack; offset++) {
    const others = flat.filter((_, i) => i % pack === offset).map((r) => r.type);
    check(others.length === types.length && others.every((t, i) => sameType(t, types[i]!)), "type mismatch in unpacked results");
  }
  s.b.loc = loc;
  const inputs = args.length > 0 ? broadcastTensors(s, args[0]!, ...args.slice(1)) : [];
  check(inputs.length > 0, "map_elementwise must have at least 1 input tensor");
  const resultTypes = types.map((type) => withElement(inputs[0]!.type, scalarOf(type)));
  const op = emitOp(
    s,
    MapElementwiseOp,
    { srcs: inputs.map((t) => t.handle), pack },
    resultTypes.map((type) => irType(s, type)),
  );
  op.regions[0]!.insertBlock(block);
  return { single: isTensor(returned), results: resultTypes.map((type, i) => tensor(op.result(i), type)) };
}

export function gather(s: Semantic, src: Tensor, index: Tensor, axis: number): Tensor {
  check(isInt(dtypeOf(index)), "index must be an integer tensor");
  const [from, at] = [blockShape(src), blockShape(index)];
  const rank = from.length;
  check(at.length === rank, "source and index tensors must have the same rank");
  check(-rank <= axis && axis < rank, `gather axis ${axis} must be < source rank (${rank})`);
  const dim = axis < 0 ? axis + rank : axis;
  from.forEach((extent, d) => {
    if (d !== dim) check(at[d] === extent, `index dim ${dim} must match the corresponding source dim`);
  });
  return emit(s, GatherOp, { src: src.handle, indices: index.handle, axis: dim }, withElement(index.type, dtypeOf(src)));
}

export function histogram(s: Semantic, input: Tensor, bins: number, given: Tensor | undefined): Tensor {
  check(extentsOf(input).length === 1, "histogram only supports 1D input");
  check(isInt(dtypeOf(input)), "histogram only supports integer input");
  const mask = given && broadcastToShape(s, given, extentsOf(input));
  if (mask && dtypeOf(mask) !== INT1) raise("ValueError", "Mask must have boolean scalar type");
  return emit(s, HistogramOp, { src: input.handle, mask: mask?.handle }, blockType(INT32, [bins]));
}
