/**
 * Predicates of IR, for `tt-step bisect` and `tt-opt reduce`: `count(ttg.convert_layout) > 2 && has(tt.dot)`.
 *
 * OP is an op of any dialect, by its name or, where only one dialect has it, without the dialect. Terms: `count(OP)`, `ops` and `lines` are numbers, compared by == != < <= > >=; `has(OP)`, `text("...")` (a part of the
 * text, or /a pattern/) and `results` (the same stores as the source's) are true or false; && || ! and parentheses join them.
 */

import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { byName } from "../support/by-name.js";
import { nearestText } from "../support/nearest.js";

/** The IR at a step, as predicates see it. */
export interface Subject {
  readonly text: string;
  readonly module: Operation;
  /** Whether it stores what the source stores. */
  readonly results: () => boolean;
}
type Term = (subject: Subject) => number | boolean;

/** Longer predicates are refused: they are read, and evaluated, by calls within calls. */
const MAX_WORDS = 500;

/** A predicate from its text, or what is wrong with it. */
export function parsePredicate(text: string): { readonly term: Term } | { readonly error: string } {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|\/(?:[^/\\]|\\.)+\/|&&|\|\||[=!<>]=|[<>!()]|[\w.]+|\S/g) ?? [];
  if (tokens.length > MAX_WORDS) return { error: `the predicate has more than ${MAX_WORDS} words` };
  let at = 0;
  let problem: string | undefined;
  const fail = (what: string): Term => {
    problem ??= `the predicate expects ${what} at '${tokens.slice(at).join(" ") || "its end"}'`;
    return () => false;
  };
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;

  const either = (): Term => {
    let left = both();
    while (take("||")) left = join(left, both(), (a, b) => a || b());
    return left;
  };
  const both = (): Term => {
    let left = comparison();
    while (take("&&")) left = join(left, comparison(), (a, b) => a && b());
    return left;
  };
  const comparison = (): Term => {
    const left = single();
    const compare = COMPARE[tokens[at] ?? ""];
    if (!compare) return left;
    at++;
    const right = single();
    return (s) => compare(Number(left(s)), Number(right(s)));
  };
  const single = (): Term => {
    if (take("!")) {
      const inner = single();
      return (s) => !inner(s);
    }
    if (take("(")) {
      const inner = either();
      return take(")") ? inner : fail("')'");
    }
    const word = tokens[at++];
    if (word === undefined) return fail("a term");
    if (/^\d+$/.test(word)) return () => Number(word);
    if (word === "ops") return ({ module }) => countOps(module, undefined);
    if (word === "lines") return (s) => s.text.split("\n").length;
    if (word === "results") return (s) => s.results();
    if (!["count", "has", "text"].includes(word)) {
      at--;
      return fail('count(OP), has(OP), text("..."), ops, lines, results or a number');
    }
    const operand = take("(") ? tokens[at++] : undefined;
    if (operand === undefined || !take(")")) return fail(`(...) after ${word}`);
    if (word === "count" || word === "has") {
      const op = opCalled(operand);
      if (typeof op !== "string") {
        problem ??= op.error;
        return () => false;
      }
      return word === "count" ? ({ module }) => countOps(module, op) : ({ module }) => countOps(module, op) > 0;
    }
    if (operand.startsWith('"')) {
      const part = operand.slice(1, -1).replaceAll('\\"', '"');
      return (s) => s.text.includes(part);
    }
    const pattern = operand.startsWith("/") ? patternOf(operand.slice(1, -1)) : undefined;
    return pattern ? (s) => pattern.test(s.text) : fail('"a part of the text" or /a pattern/');
  };

  const term = either();
  if (problem === undefined && at < tokens.length) fail("an end");
  return problem === undefined ? { term } : { error: problem };
}

/** Resolves the name of an op: `convert_layout` for `ttg.convert_layout`, unless another dialect has one too. */
function opCalled(name: string): string | { readonly error: string } {
  const known = [...new Context(ALL_DIALECTS).ops.keys()];
  if (known.includes(name)) return name;
  const withoutDialect = (op: string): string => op.slice(op.indexOf(".") + 1);
  const all = known.filter((op) => withoutDialect(op) === name);
  // A name of today's Triton is not ambiguous because older ones had it too.
  const todays = all.filter((op) => !op.startsWith("triton_"));
  const [only, ...others] = todays.length > 0 ? todays : all;
  if (only === undefined) {
    return { error: `no dialect has an op '${name}'${nearestText(name, name.includes(".") ? known : known.map(withoutDialect))}` };
  }
  return others.length === 0 ? only : { error: `'${name}' may be each of ${[only, ...others].join(", ")}` };
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = byName({
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
});
function join(left: Term, right: Term, combine: (a: boolean, b: () => boolean) => boolean): Term {
  return (s) => combine(Boolean(left(s)), () => Boolean(right(s)));
}
function patternOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "m");
  } catch {
    return undefined;
  }
}
function countOps(module: Operation, name: string | undefined): number {
  let count = 0;
  module.walk((op) => {
    if (op !== module && (name === undefined || op.name === name)) count++;
  });
  return count;
}
