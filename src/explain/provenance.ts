/** Where ops come from: chains of origins through all steps, and places in the Python source. */

import type { StepText } from "../trace/line-table.js";
import type { Trace } from "../trace/trace.js";

/** A place in a source file; line from 1, column as the compiler counts it. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Family {
  readonly parents: ReadonlyMap<number, readonly number[]>;
  readonly children: ReadonlyMap<number, readonly number[]>;
}
const families = new WeakMap<Trace, Family>();

/** Parents and children of every op that came from another; a few of them more than once. */
function familyOf(trace: Trace): Family {
  let family = families.get(trace);
  if (!family) {
    const parents = new Map<number, number[]>();
    const children = new Map<number, number[]>();
    const add = (map: Map<number, number[]>, key: number, value: number) => {
      const list = map.get(key);
      if (list) list.push(value);
      else map.set(key, [value]);
    };
    for (const { origins } of trace.steps)
      for (let i = 0; i < origins.length; i += 2) {
        add(parents, origins[i]!, origins[i + 1]!);
        add(children, origins[i + 1]!, origins[i]!);
      }
    families.set(trace, (family = { parents, children }));
  }
  return family;
}

/** All ops that `op` came from, nearest first, itself included. */
export function ancestorsOf(trace: Trace, op: number): number[] {
  return reach(familyOf(trace).parents, op);
}
/** All ops that came from `op`, nearest first, itself included. */
export function descendantsOf(trace: Trace, op: number): number[] {
  return reach(familyOf(trace).children, op);
}
function reach(edges: ReadonlyMap<number, readonly number[]>, start: number): number[] {
  const seen = new Set([start]);
  for (const op of seen) for (const next of edges.get(op) ?? []) seen.add(next);
  return [...seen];
}

/** The nearest of an op's ancestors (or itself) that is in `within`. */
export function ancestorIn(trace: Trace, op: number, within: ReadonlySet<number>): number | undefined {
  if (within.has(op)) return op;
  const { parents } = familyOf(trace);
  const seen = new Set([op]);
  for (const at of seen)
    for (const next of parents.get(at) ?? []) {
      if (within.has(next)) return next;
      seen.add(next);
    }
  return undefined;
}

/** Places of ops, and the calls around them. */
interface Places {
  readonly own: ReadonlyMap<number, SourcePosition>;
  readonly calls: ReadonlyMap<number, readonly SourcePosition[]>;
}
const places = new WeakMap<Trace, Places>();

function placesOf(trace: Trace): Places {
  let known = places.get(trace);
  if (!known) {
    const { files, places: numbers, calls: callers } = trace.locations;
    const at = (from: Int32Array, i: number): SourcePosition => ({ file: files[from[i + 1]!]!, line: from[i + 2]!, column: from[i + 3]! });
    const own = new Map<number, SourcePosition>();
    for (let i = 0; i < numbers.length; i += 4) own.set(numbers[i]!, at(numbers, i));
    const calls = new Map<number, SourcePosition[]>();
    for (let i = 0; i < callers.length; i += 4) {
      const found = calls.get(callers[i]!);
      if (found) found.push(at(callers, i));
      else calls.set(callers[i]!, [at(callers, i)]);
    }
    places.set(trace, (known = { own, calls }));
  }
  return known;
}
/** The op, or the nearest one that it came from, that has a place of its own. */
function placed(trace: Trace, op: number): number | undefined {
  const { own } = placesOf(trace);
  if (own.size === 0) return undefined;
  return own.has(op) ? op : ancestorsOf(trace, op).find((ancestor) => own.has(ancestor));
}

/** Where an op's Python source is: its own place, or the nearest one of an op that it came from. */
export function locationOf(trace: Trace, op: number): SourcePosition | undefined {
  return placesOf(trace).own.get(placed(trace, op) ?? -1);
}
/** The calls that an op was inlined by, the innermost first; none in the kernel's own body. */
export function callersOf(trace: Trace, op: number): readonly SourcePosition[] {
  return placesOf(trace).calls.get(placed(trace, op) ?? -1) ?? [];
}
/** Every op's own place. */
export function locationsOf(trace: Trace): ReadonlyMap<number, SourcePosition> {
  return placesOf(trace).own;
}

const opLines = new WeakMap<StepText, ReadonlyMap<number, number>>();

/** The line of each op of a step. */
export function linesOfOps(text: StepText): ReadonlyMap<number, number> {
  let lines = opLines.get(text);
  if (!lines) {
    const map = new Map<number, number>();
    for (let i = text.ops.length - 1; i >= 0; i--) if (text.ops[i] !== 0) map.set(text.ops[i]!, i);
    opLines.set(text, (lines = map));
  }
  return lines;
}
