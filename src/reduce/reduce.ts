/**
 * The smallest input for which something still holds. Parts of a module are left out in ever smaller groups, as delta debugging does
 * it; what does not verify is not tried.
 */
import { PoisonOp } from "../dialects/ub/ops/poison.js";
import { Builder } from "../ir/builder.js";
import type { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { isValid } from "../ir/verify.js";
import type { Work } from "../support/slices.js";
import { parseModule } from "../syntax/parse.js";
import { printOperation } from "../syntax/print.js";

/** The functions that a reduction calls. */
export interface ReduceOptions {
  /** A new context for each candidate. */
  readonly context: () => Context;
  /** Whether a candidate still has what is looked for. */
  readonly holds: (text: string) => boolean;
  /** How often `holds` is asked at most. */
  readonly maxTests: number;
}
/** The smallest text that was found; its ops and those of the input, and how often the predicate was asked. */
export interface Reduced {
  readonly text: string;
  readonly before: number;
  readonly after: number;
  readonly tests: number;
  /** Why it may not be the smallest. */
  readonly endedEarly: "interrupted" | "limit" | undefined;
}

/** Parts of a module that a way of making it smaller can leave out, each by itself. */
type Way = (module: Operation) => readonly (() => void)[];

/** Makes `text`, for which the predicate holds, smaller. Undefined where it does not parse or verify. */
export function* reducing(text: string, options: ReduceOptions): Work<Reduced | undefined> {
  const first = read(text, options.context());
  if (!first) return undefined;
  const before = countOps(first);
  let best = text;
  let size = before;
  let tests = 0;
  let endedEarly: Reduced["endedEarly"];
  const test = (candidate: string): boolean => {
    if (candidate === best) return false;
    tests++;
    if (!options.holds(candidate)) return false;
    best = candidate;
    return true;
  };
  // Without locations and comments, if it holds then too.
  test(printOperation(first));
  for (let smaller = true; smaller && !endedEarly; ) {
    smaller = false;
    for (const way of WAYS) {
      let count = parts(best, way, options.context()).length;
      for (let group = Math.max(1, count >> 1); count > 0; group = group >> 1) {
        // From the end: what uses a value goes before the value.
        for (let end = count; end > 0 && !endedEarly; end -= group) {
          if (yield { what: "reduce", done: before - size, of: before }) endedEarly = "interrupted";
          else if (tests >= options.maxTests) endedEarly = "limit";
          else {
            const made = without(best, way, Math.max(0, end - group), end, options.context());
            if (made !== undefined && test(made)) smaller = true;
          }
        }
        const now = read(best, options.context())!;
        size = countOps(now);
        count = way(now).length;
        if (group === 1 || endedEarly) break;
      }
    }
  }
  return { text: best, before, after: size, tests, endedEarly };
}

function read(text: string, ctx: Context): Operation | undefined {
  const parsed = parseModule(ctx, "<candidate>", text);
  return parsed && isValid(parsed.module) ? parsed.module : undefined;
}
function parts(text: string, way: Way, ctx: Context): ReturnType<Way> {
  const module = read(text, ctx);
  return module ? way(module) : [];
}
/** The text without the parts from one to another; undefined where that is no valid module. */
function without(text: string, way: Way, from: number, to: number, ctx: Context): string | undefined {
  const module = read(text, ctx);
  if (!module) return undefined;
  for (const leaveOut of way(module).slice(from, to).reverse()) leaveOut();
  return isValid(module) ? printOperation(module) : undefined;
}
function countOps(module: Operation): number {
  let count = -1;
  module.walk(() => void count++);
  return count;
}

/** All ops but the module and terminators: a result's uses become those of an operand of its type, else of a value that is not defined. */
const ops: Way = (module) =>
  inside(module).map((op) => () => {
    // It may have gone with the op around it.
    if (!op.block || !isIn(module, op)) return;
    for (const result of op.results)
      replace(
        result,
        op.operandUses.map(({ value }) => value),
        op,
      );
    op.erase();
  });

/** Ops around one block, such as loops: the block's ops take their place. */
const nests: Way = (module) =>
  inside(module)
    .filter(({ regions, parentOp }) => parentOp !== module && regions.length > 0)
    .map((op) => () => {
      const block = op.regions[0]!.firstBlock;
      const end = block?.lastOp;
      if (!op.block || !isIn(module, op) || !block || !end || !op.regions[0]!.hasOneBlock) return;
      const given = op.operandUses.map(({ value }) => value);
      for (const arg of block.args) replace(arg, given, op);
      const yielded = end.operandUses.map(({ value }) => value);
      for (const inner of block.opsWithoutTerminator()) inner.moveBefore(op);
      for (const result of op.results) replace(result, yielded, op);
      op.erase();
    });

function inside(module: Operation): readonly Operation[] {
  const found: Operation[] = [];
  module.walk((op) => void (op !== module && !op.def.isTerminator && found.push(op)));
  return found;
}
/** Uses of a value become uses of another one of its type, or of one that is not defined. */
function replace(value: Value, others: readonly Value[], before: Operation): void {
  if (!value.firstUse) return;
  const other = others.find(({ type }) => type === value.type);
  value.replaceAllUsesWith(other ?? Builder.before(before).create(PoisonOp, {}, { types: [value.type] }).op.results[0]!);
}
function isIn(module: Operation, op: Operation): boolean {
  let at: Operation | null | undefined = op;
  while (at && at !== module) at = at.parentOp;
  return at === module;
}

/** Attributes that ops verify without. */
const attributes: Way = (module) => {
  const found: (() => void)[] = [];
  module.walk((op) => {
    for (const name of op.attrs.params.names) if (name !== "sym_name") found.push(() => op.removeAttr(name));
  });
  return found;
};

const WAYS: readonly Way[] = [ops, nests, attributes];
