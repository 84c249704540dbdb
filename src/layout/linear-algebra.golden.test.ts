/** Every operation on linear layouts against real Triton 3.6 (fixtures/layout/linear-algebra.json). */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { actionRemoveBroadcastedRegs } from "./column-action.js";
import { divideLeft, divideRight } from "./divide.js";
import { ensureLayoutNotLargerThan, ensureLayoutNotSmallerThan } from "./ensure-shape.js";
import { type Bases, type Dim, LinearLayout } from "./linear-layout.js";
import { identityStandardND, removeStandardDim, reshapeLayout, transposeLinearLayout } from "./standard-dims.js";

interface LayoutData {
  readonly bases: Bases;
  readonly outDims: readonly Dim[];
}

interface Case {
  readonly id: string;
  readonly op: string;
  readonly a: LayoutData;
  readonly b: LayoutData;
  readonly args: readonly [number, ...(number | string)[]];
  readonly result?: LayoutData | number | string | Record<string, number> | null;
  readonly resultString?: string;
  readonly props?: readonly [boolean, boolean, boolean];
  readonly text?: string;
  readonly order: readonly string[] & readonly number[];
  readonly newDims: readonly Dim[];
  readonly ins: readonly string[];
  readonly outs: readonly string[];
  readonly isZero: boolean;
  readonly dim: string & number;
  readonly dims: readonly string[];
  readonly size: number;
  readonly shape: Record<string, number> & readonly number[];
  readonly broadcastRegisters: boolean;
  readonly isTrivialOver: boolean;
  readonly action: string;
  readonly inDim: string;
  readonly points: readonly (readonly [Record<string, number>, Record<string, number>])[];
}

const cases = JSON.parse(readFileSync("fixtures/layout/linear-algebra.json", "utf8")) as readonly Case[];
const read = (data: LayoutData): LinearLayout => LinearLayout.fromBases(data.bases, data.outDims, false);
const write = (layout: LinearLayout): LayoutData => ({ bases: layout.getBases(), outDims: layout.getOutDims() });

/** Our result for a case, in the form of the fixture's `result`. */
function run(c: Case): Case["result"] {
  const a = c.a === undefined ? LinearLayout.empty() : read(c.a);
  const b = c.b === undefined ? LinearLayout.empty() : read(c.b);
  const [size, ...args] = c.args ?? [0];
  switch (c.op) {
    case "invert":
      return write(a.invert());
    case "pseudoinvert":
      return write(a.pseudoinvert());
    case "compose":
      return write(a.compose(b));
    case "invertAndCompose":
      return write(a.invertAndCompose(b));
    case "product":
      return write(a.multiply(b));
    case "divideLeft":
      return maybe(divideLeft(a, b));
    case "divideRight":
      return maybe(divideRight(a, b));
    case "identity_1d":
      return write(LinearLayout.identity1D(size, args[0] as string, args[1] as string));
    case "strided_1d":
      return write(LinearLayout.strided1D(size, args[0] as number, args[1] as string, args[2] as string));
    case "zeros_1d":
      return write(LinearLayout.zeros1D(size, args[0] as string, args[1] as string, args[2] as number));
    case "identityStandardND":
      return write(identityStandardND(c.inDim, c.shape, c.order));
    case "flattenIns":
      return write(a.flattenIns());
    case "flattenOuts":
      return write(a.flattenOuts());
    case "reshapeIns":
      return write(a.reshapeIns(c.newDims));
    case "reshapeOuts":
      return write(a.reshapeOuts(c.newDims));
    case "transposeIns":
      return write(a.transposeIns(c.order));
    case "transposeOuts":
      return write(a.transposeOuts(c.order));
    case "reshapeLayout":
      return write(reshapeLayout(a, c.shape));
    case "transposeLinearLayout":
      return write(transposeLinearLayout(a, c.order));
    case "removeStandardDim":
      return write(removeStandardDim(a, c.dim));
    case "sublayout":
      expect(a.sublayoutIsZero(c.ins, c.outs), c.id).toBe(c.isZero);
      return write(a.sublayout(c.ins, c.outs));
    case "quotient":
      expect(a.isTrivialOver(c.dims), c.id).toBe(c.isTrivialOver);
      return maybe(a.quotient(c.dims));
    case "resizeInDim":
      return write(a.resizeInDim(c.dim, c.size));
    case "concatIns":
      return write(a.concatIns(b));
    case "concatOuts":
      return write(a.concatOuts(b));
    case "zerosLike":
      return write(a.zerosLike());
    case "ensureLayoutNotLargerThan":
      return write(ensureLayoutNotLargerThan(a, c.shape, c.broadcastRegisters));
    case "ensureLayoutNotSmallerThan":
      return write(ensureLayoutNotSmallerThan(a, c.shape));
    case "actionRemoveBroadcastedRegs":
      expect(actionRemoveBroadcastedRegs(a).toString(), c.id).toBe(c.action);
      return write(actionRemoveBroadcastedRegs(a).apply(a));
    case "getNumConsecutiveInOut":
      return a.getNumConsecutiveInOut();
    case "getFreeVariableMasks":
      return Object.fromEntries(a.getFreeVariableMasks());
    case "toString":
      return a.toString();
    case "apply":
      for (const [index, image] of c.points) expect(a.apply(index), c.id).toEqual(image);
      return undefined;
    default:
      throw new Error(`unknown operation ${c.op}`);
  }
}

function maybe(layout: LinearLayout | undefined): LayoutData | null {
  return layout === undefined ? null : write(layout);
}

const ops = [...new Set(cases.map((c) => c.op))].sort();

test.each(ops)("%s", (op) => {
  for (const c of cases.filter((other) => other.op === op)) {
    const result = run(c);
    expect(result, c.id).toEqual(c.result);
    if (c.resultString !== undefined) expect(read(result as LayoutData).toString(), c.id).toBe(c.resultString);
    const subject = c.a === undefined ? read(result as LayoutData) : read(c.a);
    // For a binary operation, the recorded properties are those of its result.
    const measured = c.op === "compose" ? read(result as LayoutData) : subject;
    if (c.props !== undefined) expect([measured.isSurjective(), measured.isInjective(), measured.isInvertible()], c.id).toEqual(c.props);
    if (c.text !== undefined) expect(measured.toString(), c.id).toBe(c.text);
  }
});
