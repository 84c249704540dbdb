/**
 * A compilation that goes on after an edit, as one Trace: the steps up to the one that was edited, the edit as a step, and the passes that ran
 * on the edited text. Ops of the text are those of the step that say the same (`identify`), so that diffs, lives and places go through the edit.
 */
import { callersOf, locationOf, type SourcePosition } from "../explain/provenance.js";
import { remarkWithIds } from "../pass/remark.js";
import { finished } from "../support/slices.js";
import { identify } from "../trace/import/identify.js";
import { readTextIR } from "../trace/import/text-ops.js";
import type { StepText } from "../trace/line-table.js";
import type { OpLocations } from "../trace/op-locations.js";
import type { Step, Trace } from "../trace/trace.js";

/** The flag of the step that an edit is. */
export const EDIT = "edit";

/** An edited text with the places in the source of its ops, as far as they are ops of the step that was edited. */
export function withPlaces(earlier: Trace, last: Step, text: string): string {
  const opOf = opsByLine(earlier, last, text).kept;
  return text
    .split("\n")
    .map((line, at) => {
      const place = /\bloc\(|\{$/.test(line) ? undefined : locationOf(earlier, opOf.get(at) ?? 0);
      return place ? `${line} loc(${callersOf(earlier, opOf.get(at)!).reduce(calledAt, fileLoc(place))})` : line;
    })
    .join("\n");
}
const fileLoc = ({ file, line, column }: SourcePosition): string => `${JSON.stringify(file)}:${line}:${column}`;
const calledAt = (callee: string, caller: SourcePosition): string => `callsite(${callee} at ${fileLoc(caller)})`;

/** The ids of a step's ops that are on a text's lines, and for lines with new ops those that they were made from. */
function opsByLine({ lines }: Trace, last: Step, text: string) {
  const [before, after] = [readTextIR(lines.textOf(last.text)), readTextIR(text)];
  const { partner, origin } = finished(identify(before, after));
  const kept = new Map<number, number>();
  const madeFrom = new Map<number, number>();
  partner.forEach((other, op) => {
    const id = (index: number): number => last.text.ops[before.line[index]!] ?? 0;
    if (other >= 0 && id(other) !== 0) kept.set(after.line[op]!, id(other));
    else if (origin[op]! >= 0) madeFrom.set(after.line[op]!, id(origin[op]!));
  });
  return { kept, madeFrom };
}

/** Makes one Trace of the steps up to `last`, and of Traces of the passes after it: each step is taken over once. */
export function continuing(earlier: Trace, last: Step): (made: Trace) => Trace {
  const steps = earlier.steps.filter(({ index, parent }) => index <= last.index || (parent !== undefined && parent <= last.index));
  const passes = steps.filter(({ kind, parent }) => kind === "pass" && parent === undefined);
  const offset = steps.reduce((most, { text, origins, rewrites }) => [text.ops, origins, rewrites].reduce(largest, most), 0);
  const taken = new Map<Step, Step>();
  let known: ReadonlyMap<number, number> | undefined;
  let origins: readonly number[] = [];
  const idOf = (op: number): number => (op === 0 ? 0 : (known!.get(op) ?? op + offset));
  const ids = (ops: Int32Array): Int32Array => ops.map(idOf);

  const numbered = (made: Trace, { lines, ops, hashes }: StepText): StepText => ({
    lines: lines.map((line) => earlier.lines.number(made.lines.line(line))),
    ops: ids(ops),
    hashes,
  });
  const take = (made: Trace, step: Step): Step => {
    const isEdit = step.kind === "source";
    const [number, ...nested] = step.label.split(".");
    const all: Step = {
      ...step,
      index: step.index + steps.length,
      parent: step.parent === undefined ? undefined : step.parent + steps.length,
      label: [Number(number) + passes.length, ...nested].join("."),
      run: step.run + (step.run > 0 ? passes.filter(({ flag }) => flag === step.flag).length : 0),
      text: numbered(made, step.text),
      origins: isEdit ? Int32Array.from(origins) : ids(step.origins),
      rewrites: rewritesWith(step.rewrites, idOf),
      remarks: step.remarks.map((remark) => remarkWithIds(remark, idOf)),
    };
    if (!isEdit) return all;
    const runs = steps.filter(({ flag }) => flag === EDIT).length;
    const label = `${passes.length}${"e".repeat(runs + 1)}`;
    return { ...all, kind: "internal", label, pass: EDIT, flag: EDIT, run: runs + 1, stage: last.stage, changed: true };
  };
  return (made) => {
    const [source] = made.steps;
    if (!known && source) {
      const { kept, madeFrom } = opsByLine(earlier, last, made.lines.textOf(source.text));
      known = new Map([...kept].map(([line, id]) => [source.text.ops[line]!, id]));
      origins = [...madeFrom].flatMap(([line, id]) => [idOf(source.text.ops[line]!), id]);
    }
    for (const step of made.steps) if (!taken.has(step)) taken.set(step, take(made, step));
    const { instructions, ...artifacts } = made.artifacts;
    return {
      ...made,
      source: earlier.source,
      steps: [...steps, ...made.steps.map((step) => taken.get(step)!)],
      lines: earlier.lines,
      locations: together(earlier.locations, made.locations, (op) => (known?.has(op) ? undefined : idOf(op))),
      ...(earlier.names ? { names: earlier.names } : {}),
      warnings: [...earlier.warnings, ...made.warnings],
      artifacts: instructions
        ? { ...artifacts, instructions: Object.fromEntries(Object.entries(instructions).map(([op, texts]) => [idOf(Number(op)), texts])) }
        : artifacts,
    };
  };
}
const largest = (most: number, numbers: Int32Array): number => numbers.reduce((a, b) => Math.max(a, b), most);

/** Records of rewrites (pattern, op, number of new ops, these) with other ids. */
function rewritesWith(rewrites: Int32Array, idOf: (op: number) => number): Int32Array {
  const found = Int32Array.from(rewrites);
  for (let i = 0; i < found.length; i += 3 + rewrites[i + 2]!) {
    found[i + 1] = idOf(found[i + 1]!);
    for (let k = 0; k < rewrites[i + 2]!; k++) found[i + 3 + k] = idOf(found[i + 3 + k]!);
  }
  return found;
}

/** Places of one Trace, and those of the ops of another that `idOf` has an id for. */
function together(one: OpLocations, other: OpLocations, idOf: (op: number) => number | undefined): OpLocations {
  const moved = (numbers: Int32Array): number[] => {
    const found: number[] = [];
    for (let i = 0; i < numbers.length; i += 4) {
      const op = idOf(numbers[i]!);
      if (op !== undefined) found.push(op, numbers[i + 1]! + one.files.length, numbers[i + 2]!, numbers[i + 3]!);
    }
    return found;
  };
  return {
    files: [...one.files, ...other.files],
    places: Int32Array.from([...one.places, ...moved(other.places)]),
    calls: Int32Array.from([...one.calls, ...moved(other.calls)]),
  };
}
