/**
 * `triton-tensor-layout algebra -i CASES.json`: answers questions about linear layouts. A case is `{id, op, a, b, ...}`, its
 * layouts `{bases: [[inDim, vectors], ...], outDims: [[name, size], ...]}`; the answer is `{id, result, props, resultString}`.
 */
import { actionRemoveBroadcastedRegs } from "../layout/column-action.js";
import { divideLeft, divideRight } from "../layout/divide.js";
import { ensureLayoutNotLargerThan, ensureLayoutNotSmallerThan } from "../layout/ensure-shape.js";
import { LayoutError } from "../layout/layout-error.js";
import { type Bases, type Dim, LinearLayout } from "../layout/linear-layout.js";
import { identityStandardND, removeStandardDim, reshapeLayout, transposeLinearLayout } from "../layout/standard-dims.js";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Case = Readonly<Record<string, Json>>;
/** The fields of an answer besides `id`. */
type Answer = Readonly<Record<string, unknown>>;

/** The results for a list of cases, in order; a case that makes no sense gets an `error`. */
export function answerCases(
  cases: unknown,
): { readonly answers: readonly unknown[]; readonly failed: number } | { readonly error: string } {
  if (!Array.isArray(cases)) return { error: "expected a list of cases" };
  let failed = 0;
  const answers = cases.map((item: unknown) => {
    const given = (typeof item === "object" && item !== null && !Array.isArray(item) ? item : {}) as Case;
    const id = given["id"] ?? null;
    try {
      return { id, ...answer(given) };
    } catch (error) {
      if (!(error instanceof LayoutError) && !(error instanceof BadCase)) throw error;
      failed++;
      return { id, error: error.message.split("\n")[0] };
    }
  });
  return { answers, failed };
}

class BadCase extends Error {}

function answer(given: Case): Answer {
  const op = text(given, "op");
  const run = Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op]! : undefined;
  if (!run) throw new BadCase(`unknown operation '${op.slice(0, 80)}'`);
  const { result, subject, ...more } = run(given);
  // Properties are those of the operand where there is one; those of a composition are its own.
  const measured = op === "compose" || !("a" in given) ? (result instanceof LinearLayout ? result : undefined) : layout(given, "a");
  return {
    result: result instanceof LinearLayout ? { bases: result.getBases(), outDims: result.getOutDims() } : result,
    ...(measured ? { props: propsOf(measured) } : {}),
    ...(result instanceof LinearLayout ? { resultString: result.toString() } : {}),
    ...more,
  };
}

function propsOf(measured: LinearLayout): Answer {
  return {
    isSurjective: measured.isSurjective(),
    isInjective: measured.isInjective(),
    isInvertible: measured.isInvertible(),
    toString: measured.toString(),
  };
}

type Result = { readonly result: unknown } & Answer;
const result = (value: unknown): Result => ({ result: value });

const OPERATIONS: Readonly<Record<string, (given: Case) => Result>> = {
  invert: (c) => result(invertible(layout(c, "a")).invert()),
  pseudoinvert: (c) => result(layout(c, "a").pseudoinvert()),
  compose: (c) => result(layout(c, "a").compose(layout(c, "b"))),
  invertAndCompose: (c) => result(layout(c, "a").invertAndCompose(layout(c, "b"))),
  product: (c) => result(layout(c, "a").multiply(layout(c, "b"))),
  divideLeft: (c) => result(divideLeft(layout(c, "a"), layout(c, "b")) ?? null),
  divideRight: (c) => result(divideRight(layout(c, "a"), layout(c, "b")) ?? null),
  identity_1d(c) {
    const [size, inDim, outDim] = list(c, "args");
    return result(LinearLayout.identity1D(asSize(size), asText(inDim), asText(outDim)));
  },
  strided_1d(c) {
    const [size, stride, inDim, outDim] = list(c, "args");
    return result(LinearLayout.strided1D(asSize(size), asSize(stride), asText(inDim), asText(outDim)));
  },
  zeros_1d(c) {
    const [size, inDim, outDim, outSize] = list(c, "args");
    return result(LinearLayout.zeros1D(asSize(size), asText(inDim), asText(outDim), outSize === undefined ? 1 : asSize(outSize)));
  },
  identityStandardND: (c) => result(identityStandardND(text(c, "inDim"), sizes(c, "shape"), permutation(c, sizes(c, "shape").length))),
  flattenIns: (c) => result(layout(c, "a").flattenIns()),
  flattenOuts: (c) => result(layout(c, "a").flattenOuts()),
  reshapeIns: (c) => result(layout(c, "a").reshapeIns(dims(c, "newDims"))),
  reshapeOuts: (c) => result(layout(c, "a").reshapeOuts(dims(c, "newDims"))),
  transposeIns: (c) => result(layout(c, "a").transposeIns(sameNames(texts(c, "order"), layout(c, "a").inDimNames))),
  transposeOuts: (c) => result(layout(c, "a").transposeOuts(sameNames(texts(c, "order"), layout(c, "a").outDimNames))),
  reshapeLayout: (c) => result(reshapeLayout(layout(c, "a"), sizes(c, "shape"))),
  transposeLinearLayout: (c) => result(transposeLinearLayout(layout(c, "a"), permutation(c, layout(c, "a").getNumOutDims()))),
  removeStandardDim: (c) => result(removeStandardDim(layout(c, "a"), outDimIndex(layout(c, "a"), c["dim"]))),
  sublayout(c) {
    const a = layout(c, "a");
    const ins = someNames(texts(c, "ins"), a.inDimNames);
    const outs = someNames(texts(c, "outs"), a.outDimNames);
    return { result: a.sublayout(ins, outs), isZero: a.sublayoutIsZero(ins, outs) };
  },
  quotient(c) {
    const names = someNames(texts(c, "dims"), layout(c, "a").inDimNames);
    return { result: layout(c, "a").quotient(names) ?? null, isTrivialOver: layout(c, "a").isTrivialOver(names) };
  },
  resizeInDim: (c) => result(layout(c, "a").resizeInDim(someNames([text(c, "dim")], layout(c, "a").inDimNames)[0]!, asSize(c["size"]))),
  concatIns: (c) => result(layout(c, "a").concatIns(layout(c, "b"))),
  concatOuts: (c) => result(layout(c, "a").concatOuts(layout(c, "b"))),
  zerosLike: (c) => result(layout(c, "a").zerosLike()),
  ensureLayoutNotLargerThan: (c) => result(ensureLayoutNotLargerThan(layout(c, "a"), shapeByDim(c), c["broadcastRegisters"] !== false)),
  ensureLayoutNotSmallerThan: (c) => result(ensureLayoutNotSmallerThan(layout(c, "a"), shapeByDim(c))),
  actionRemoveBroadcastedRegs(c) {
    const action = actionRemoveBroadcastedRegs(layout(c, "a"));
    return { result: action.apply(layout(c, "a")), action: action.toString() };
  },
  getNumConsecutiveInOut: (c) => result(layout(c, "a").getNumConsecutiveInOut()),
  getFreeVariableMasks: (c) => result(Object.fromEntries(layout(c, "a").getFreeVariableMasks())),
  toString: (c: Case) => result(layout(c, "a").toString()),
  apply(c) {
    const a = layout(c, "a");
    // A point is an index, or a pair of an index and what it is expected to be mapped to.
    const indices = list(c, "points").map((point) => asIndex(a, Array.isArray(point) ? (point as readonly Json[])[0] : point));
    const images = indices.map((index) => a.apply(index));
    return { result: images, points: indices.map((index, i) => [index, images[i]]), matrix: matrixOf(a) };
  },
};

/** One row for each bit of the out dims, one column for each bit of the in dims. */
function matrixOf(a: LinearLayout): number[][] {
  const rows = a.getTotalOutDimSizeLog2();
  return Array.from({ length: rows }, (_, row) => Array.from(a.packed, (vector) => (vector >>> row) & 1));
}

// ---- reading cases ---------------------------------------------------------------------------------------------------

function layout(given: Case, key: string): LinearLayout {
  const data = given[key];
  if (typeof data !== "object" || data === null || Array.isArray(data)) throw new BadCase(`'${key}' must be a layout {bases, outDims}`);
  const fields = data as Case;
  const bases: Bases = list(fields, "bases").map((entry) => {
    const [name, vectors] = Array.isArray(entry) ? (entry as readonly Json[]) : [];
    if (!Array.isArray(vectors)) throw new BadCase(`'${key}': each entry of bases must be [in dim, list of vectors]`);
    return [asText(name), (vectors as readonly Json[]).map((vector) => numbers(vector, key))] as const;
  });
  return LinearLayout.fromBases(bases, dims(fields, "outDims"), false);
}
function invertible(a: LinearLayout): LinearLayout {
  if (!a.isInvertible()) throw new BadCase("the layout has no inverse");
  return a;
}
function list(given: Case, key: string): readonly Json[] {
  const value = given[key];
  if (!Array.isArray(value)) throw new BadCase(`'${key}' must be a list`);
  return value as readonly Json[];
}
function text(given: Case, key: string): string {
  if (typeof given[key] !== "string") throw new BadCase(`'${key}' must be a string`);
  return given[key];
}
function texts(given: Case, key: string): string[] {
  return list(given, key).map(asText);
}
function asText(value: Json | undefined): string {
  if (typeof value !== "string") throw new BadCase("expected the name of a dimension");
  return value;
}
function asSize(value: Json | undefined): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 2 ** 30) throw new BadCase("expected a size");
  return value;
}
function numbers(value: Json, key: string): number[] {
  if (!Array.isArray(value)) throw new BadCase(`'${key}' must hold lists of numbers`);
  return (value as readonly Json[]).map(asSize);
}
function sizes(given: Case, key: string): number[] {
  return numbers(given[key] ?? null, key);
}
function dims(given: Case, key: string): Dim[] {
  return list(given, key).map((entry): Dim => {
    const [name, size] = Array.isArray(entry) ? (entry as readonly Json[]) : [];
    return [asText(name), asSize(size)];
  });
}
function permutation(given: Case, rank: number): number[] {
  const order = sizes(given, "order");
  if (order.length !== rank || [...order].sort((x, y) => x - y).some((dim, i) => dim !== i))
    throw new BadCase(`'order' must be a permutation of 0..${rank - 1}`);
  return order;
}
function someNames(names: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new BadCase(`the layout has no dimension '${unknown}'`);
  return names;
}
function sameNames(names: readonly string[], known: readonly string[]): readonly string[] {
  if (names.length !== known.length || new Set(names).size !== names.length) throw new BadCase("'order' must name every dimension once");
  return someNames(names, known);
}
function outDimIndex(a: LinearLayout, dim: Json | undefined): number {
  const index = asSize(dim);
  if (index >= a.getNumOutDims()) throw new BadCase(`the layout has no dimension ${index}`);
  return index;
}
function shapeByDim(given: Case): Record<string, number> {
  const shape = given["shape"];
  if (typeof shape !== "object" || shape === null || Array.isArray(shape)) throw new BadCase("'shape' must give a size by dimension");
  return Object.fromEntries(Object.entries(shape as Case).map(([name, size]) => [name, asSize(size)]));
}
function asIndex(a: LinearLayout, point: Json | undefined): Record<string, number> {
  if (typeof point !== "object" || point === null || Array.isArray(point)) throw new BadCase("a point must give a number by in dim");
  const index = Object.fromEntries(Object.entries(point as Case).map(([name, value]) => [name, asSize(value)]));
  for (const dim of a.inDimNames) if ((index[dim] ?? 0) >= a.getInDimSize(dim)) throw new BadCase(`${dim} ${index[dim]} is out of range`);
  return index;
}
