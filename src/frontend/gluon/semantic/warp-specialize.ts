/** Code that groups of warps run at the same time. Source: _semantic.py, GluonSemantic.warp_specialize. */
import { WarpReturnOp, WarpSpecializeOp, WarpSpecializePartitionsOp, WarpYieldOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { Region } from "../../../ir/region.js";
import { check, raise } from "../../language/errors.js";
import { createBlock, insertAtStart, insertionPoint, restoreInsertion } from "../../language/insertion.js";
import { pyStr, pyTypeName } from "../../language/python-text.js";
import { emitOp } from "../../language/semantic/emit.js";
import type { Semantic } from "../../language/semantic.js";
import { elementsOf, flattenValue, isTuple, type PyValue, tuple, typeOf, unflattenValues, unwrap } from "../../language/values.js";
import { expect } from "./shape.js";

/** Generates ttg.warp_specialize with one region for each worker function. */
export function warpSpecialize(
  s: Semantic,
  functions: readonly PyValue[],
  numWarps: readonly number[],
  numRegs: readonly number[] | undefined,
): PyValue {
  const partitions = functions.map((entry) => {
    const [fn, args] = elementsOf(entry) ?? raise("TypeError", `cannot unpack non-iterable ${pyTypeName(entry)} object`);
    expect(isTuple(args), () => `function arguments must be a tuple of arguments, but got ${pyStr(args ?? null, "type")}`);
    return { fn: unwrap(fn ?? null), args: args.values };
  });
  const [first, ...workers] = partitions;
  check(first !== undefined, "expected at least one function for the default partition");
  const count = workers.length;
  check(count === numWarps.length, `warp specialize got ${count} partitions but ${numWarps.length} warp counts`);
  if (numRegs) check(count === numRegs.length, `warp specialize got ${count} partitions but ${numRegs.length} register counts`);

  // The default partition comes first: its results are the op's.
  const point = insertionPoint(s.b);
  const body = new Region(s.ctx, null, 0).addBlock();
  insertAtStart(s.b, body);
  const results = s.call(first!.fn, first!.args);
  const returned = s.rules.returnsAnyOfPartition ? [results] : resultsIn(results);
  const yielded = returned.flatMap((value) => flattenValue(value));
  emitOp(s, WarpYieldOp, { values: yielded });

  const captures = workers.map(({ args }) => args.flatMap((arg) => flattenValue(arg)));
  const all = captures.flat();
  restoreInsertion(s.b, point);
  const op = emitOp(
    s,
    WarpSpecializeOp,
    { explicitCaptures: all, partitionNumWarps: numWarps, requestedRegisters: numRegs },
    yielded.map((value) => value.type),
  );
  op.regions[0]!.takeBlocksOf(body.region!);

  createBlock(s.b, op.regions[1]!);
  const holder = emitOp(s, WarpSpecializePartitionsOp, { partitionRegions: workers.map(() => new Region(s.ctx, null, 0)) });
  let at = 0;
  workers.forEach(({ fn, args }, i) => {
    const block = createBlock(
      s.b,
      holder.regions[i]!,
      all.map((value) => value.type),
    );
    const own = block.args.slice(at, at + captures[i]!.length);
    at += own.length;
    s.call(fn, unflattenValues(own, args.map(typeOf)), new Map(), numWarps[i]!);
    emitOp(s, WarpReturnOp, {});
  });
  s.b.setAfter(op);
  const values = unflattenValues([...op.results], returned.map(typeOf));
  if (s.rules.returnsAnyOfPartition) return values[0]!;
  return results === null ? null : tuple(values);
}

const resultsIn = (results: PyValue): readonly PyValue[] =>
  results === null ? [] : (elementsOf(results) ?? raise("TypeError", `'${pyTypeName(results)}' object is not iterable`));
