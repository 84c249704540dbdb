/** The difference between steps of two Traces, whose ops have nothing to do with each other: they are identified by what they say. */

import { finished, type Sliced } from "../support/slices.js";
import { identify } from "../trace/import/identify.js";
import { identityHashes } from "../trace/import/import-dump.js";
import { BLOCK, readTextIRInSlices, type TextIR } from "../trace/import/text-ops.js";
import type { StepText } from "../trace/line-table.js";
import type { Step, Trace } from "../trace/trace.js";
import { alignInSlices } from "./align.js";
import type { StepDiff } from "./step-diff.js";
import type { Lines } from "./step-side.js";

/** The differences between a step of one Trace and a step of another. */
export function stepDiffAcross(one: Trace, a: Step, other: Trace, b: Step): StepDiff {
  return finished(stepDiffAcrossInSlices(one, a, other, b));
}
/** As `stepDiffAcross`, halting every few milliseconds. Ops have the ids of `other`; those that it does not have, negative ones. */
export function* stepDiffAcrossInSlices(one: Trace, a: Step, other: Trace, b: Step): Sliced<StepDiff> {
  // The lines stay where they are: those before have numbers below 0.
  const lines: Lines = { line: (n) => (n < 0 ? one.lines.line(-1 - n) : other.lines.line(n)) };
  const left = yield* readTextIRInSlices(one.lines.textOf(a.text));
  yield;
  const right = yield* readTextIRInSlices(other.lines.textOf(b.text));
  const { partner, origin } = yield* identify(left, right);
  let fresh = -1;
  const after = Int32Array.from(right.line, (line) => b.text.ops[line]! || fresh--);
  const before = new Int32Array(left.numOps);
  for (let op = 0; op < after.length; op++) if (partner[op]! >= 0) before[partner[op]!] = after[op]!;
  for (let op = 0; op < before.length; op++) before[op] ||= fresh--;
  const origins: number[] = [];
  for (let op = 0; op < after.length; op++) if (partner[op]! < 0 && origin[op]! >= 0) origins.push(after[op]!, before[origin[op]!]!);
  yield;
  const leftText = textWith(
    left,
    before,
    a.text.lines.map((n) => -1 - n),
  );
  yield;
  const rightText = textWith(right, after, b.text.lines);
  yield;
  return {
    lines,
    before: leftText,
    after: rightText,
    alignment: yield* alignInSlices(lines, leftText, rightText, [Int32Array.from(origins)]),
  };
}

/** A step's text under other ids. */
function textWith(ir: TextIR, ids: Int32Array, lines: Int32Array): StepText {
  const hashOf = identityHashes(ir, ids);
  const ops = new Int32Array(lines.length);
  const hashes = new Int32Array(lines.length);
  for (let op = 0; op < ids.length; op++) {
    if (ir.kind[op] === BLOCK) continue;
    ops[ir.line[op]!] = ids[op]!;
    hashes[ir.line[op]!] = hashOf[op]!;
  }
  return { lines, ops, hashes };
}
