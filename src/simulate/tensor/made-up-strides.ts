/**
 * Strides for arrays that are made up: an address is a sum of indices, each times a stride or as it is, and how large an index gets follows
 * from ranges, loops and the grid. Each stride is more than what the later ones reach, so that no two elements share a place, as in an
 * array without gaps.
 */

import * as arith from "../../dialects/arith/ops/index.js";
import * as scf from "../../dialects/scf/ops/index.js";
import * as tt from "../../dialects/tt/ops/index.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName, symbolsOf } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";

/** By stride: the largest index that it is multiplied with; by `ONE` what is added as it is. Infinity where that is not known. */
type Reach = ReadonlyMap<Value | typeof ONE, number>;
const ONE = "one";
const UNKNOWN: Reach = new Map([[ONE, Infinity]]);
const only = (most: number): Reach => new Map([[ONE, most]]);

/** The least bound assumed for an index of unknown range, and the largest i32 product allowed. */
const USUAL = 4096;
const MOST = 2 ** 30;

export interface StrideArgument {
  readonly arg: Value;
  /** It is a multiple of that. */
  readonly divisor: number;
}

/** A number for each of `strides`, arguments of `kernel` in their order; `scalars` are what its other arguments are. */
export function madeUpStrides(
  module: Operation,
  kernel: Operation,
  strides: readonly StrideArgument[],
  scalars: ReadonlyMap<Value, number>,
  grid: readonly number[],
): ReadonlyMap<Value, number> {
  const reached = new Reached(module, kernel, new Set(strides.map(({ arg }) => arg)), scalars, grid);
  const addresses: Reach[] = [];
  if (strides.length > 0)
    module.walk((op) => {
      if (tt.LoadOp.is(op) || tt.StoreOp.is(op) || op.name.startsWith("tt.atomic")) addresses.push(reached.of(op.operand(0)));
      else if (tt.MakeTensorPtrOp.is(op) || tt.MakeTensorDescOp.is(op)) addresses.push(reached.ofBlocks(op));
    });
  const usual = Math.max(USUAL, ...[...scalars.values()].map((n) => 2 * n));
  const finite = (most: number): number => (most < Infinity ? most : usual);
  const found = new Map<Value, number>();
  const taken = new Set<number>();
  for (const { arg, divisor } of strides.toReversed()) {
    const using = addresses.filter((reach) => reach.has(arg));
    const inner = using.map((reach) =>
      [...reach].reduce((sum, [by, most]) => sum + finite(most) * (by === ONE ? 1 : (found.get(by) ?? 0)), 0),
    );
    const index = Math.max(1, ...using.map((reach) => finite(reach.get(arg)!)));
    // Not 1, with which nothing would show.
    let value = Math.ceil(Math.max(2, ...inner.map((most) => 1 + most)) / divisor) * divisor;
    if (using.length === 0 || value * index > MOST) value = Math.ceil(USUAL / divisor) * divisor;
    // A stride that nothing is known of is odd; each is another, so that they are not mistaken for each other.
    if (divisor === 1) value |= 1;
    while (taken.has(value)) value += Math.max(divisor, 2);
    taken.add(value);
    found.set(arg, value);
  }
  return found;
}

class Reached {
  readonly #functions: ReadonlyMap<string, Operation>;
  readonly #known = new Map<Value, Reach>();

  constructor(
    readonly module: Operation,
    readonly kernel: Operation,
    readonly strides: ReadonlySet<Value>,
    readonly scalars: ReadonlyMap<Value, number>,
    readonly grid: readonly number[],
  ) {
    this.#functions = symbolsOf(module);
  }

  of(value: Value): Reach {
    const known = this.#known.get(value);
    if (known) return known;
    // A value that depends on itself, other than by additions in a loop, has no known bound.
    this.#known.set(value, UNKNOWN);
    const reach = this.#find(value);
    this.#known.set(value, reach);
    return reach;
  }

  /** A pointer to blocks, or a descriptor: base, shape and strides. */
  ofBlocks(op: Operation): Reach {
    const rank = (op.numOperands - 1) / (tt.MakeTensorPtrOp.is(op) ? 3 : 2);
    const dims = Array.from({ length: rank }, (_, d) => times(this.of(op.operand(1 + rank + d)), this.#most(op.operand(1 + d))));
    return dims.reduce(plus, this.of(op.operand(0)));
  }

  #most = (value: Value): number => largest(this.of(value));

  #find(value: Value): Reach {
    if (this.strides.has(value)) return new Map([[value, 1]]);
    const scalar = this.scalars.get(value);
    if (scalar !== undefined) return only(Math.abs(scalar));
    const op = value.definingOp;
    if (!op) return this.#ofBlockArgument(value);
    const constant = constantInt(value);
    if (constant !== undefined) return only(Math.abs(Number(constant)));
    const axis = intOf(op.attr("axis")) ?? 0;
    switch (op.name) {
      case "tt.get_program_id":
        return only((this.grid[axis] ?? 1) - 1);
      case "tt.get_num_programs":
        return only(this.grid[axis] ?? 1);
      case "tt.make_range":
        return only(tt.MakeRangeOp.match(op)!.end - 1);
      case "tt.addptr":
      case "arith.addi":
      case "arith.subi":
        return plus(this.of(op.operand(0)), this.of(op.operand(1)));
      case "arith.muli":
        return product(this.of(op.operand(0)), this.of(op.operand(1)));
      case "arith.divsi":
      case "arith.divui":
        return times(this.of(op.operand(0)), 1 / Math.max(1, this.#exact(op.operand(1)) ?? 1));
      case "arith.remsi":
      case "arith.remui":
        return only(Math.min(this.#most(op.operand(0)), this.#most(op.operand(1)) - 1));
      case "arith.minsi":
      case "arith.minui":
        return only(Math.min(this.#most(op.operand(0)), this.#most(op.operand(1))));
      case "arith.maxsi":
      case "arith.maxui":
        return either(this.of(op.operand(0)), this.of(op.operand(1)));
      case "arith.select":
        return either(this.of(op.operand(1)), this.of(op.operand(2)));
    }
    if (MOVES.has(op.name)) return this.of(op.operand(0));
    if (scf.ForOp.is(op)) return this.#carried(op, value.index);
    const callee = this.#functions.get(tt.CallOp.match(op)?.callee ?? "");
    const returned = callee?.regions[0]?.firstBlock?.terminator;
    return returned && tt.ReturnOp.is(returned) ? this.of(returned.operand(value.index)) : UNKNOWN;
  }

  #exact = (value: Value): number | undefined => {
    const constant = constantInt(value);
    if (constant !== undefined) return Number(constant);
    const { definingOp: op } = value;
    return op && MOVES.has(op.name) ? this.#exact(op.operand(0)) : this.scalars.get(value);
  };

  #ofBlockArgument(value: Value): Reach {
    const { index } = value;
    const parent = value.parentBlock?.parentOp;
    if (!parent || parent === this.kernel) return only(0);
    if (scf.ForOp.is(parent)) return index === 0 ? this.of(parent.operand(1)) : this.#carried(parent, index - 1);
    const name = symbolName(parent);
    if (name === undefined) return UNKNOWN;
    let reach: Reach | undefined;
    this.module.walk((op) => {
      if (tt.CallOp.match(op)?.callee !== name) return;
      const more = this.of(op.operand(index));
      reach = reach ? either(reach, more) : more;
    });
    return reach ?? UNKNOWN;
  }

  /** The reach of a value that a loop carries and increments in each iteration. */
  #carried(loop: Operation, index: number): Reach {
    const start = this.of(loop.operand(3 + index));
    const body = loop.regions[0]!.firstBlock!;
    const arg = body.args[1 + index]!;
    const turns = this.#most(loop.operand(1)) / Math.max(1, this.#exact(loop.operand(2)) ?? 1);
    let reach = start;
    for (let at = body.terminator!.operand(index); at !== arg; ) {
      const op = at.definingOp;
      if (!op || !(tt.AddPtrOp.is(op) || arith.AddIOp.is(op))) return either(start, this.of(at));
      reach = plus(reach, times(this.of(op.operand(1)), Math.ceil(turns)));
      at = op.operand(0);
    }
    return reach;
  }
}

const MOVES: ReadonlySet<string> = new Set([
  "tt.splat",
  "tt.broadcast",
  "tt.expand_dims",
  "tt.reshape",
  "tt.trans",
  "tt.bitcast",
  "tt.unsplat",
  "ttg.convert_layout",
  "arith.bitcast",
  "arith.extsi",
  "arith.extui",
  "arith.trunci",
  "arith.index_cast",
]);

const largest = (reach: Reach): number => (reach.size === 1 && reach.has(ONE) ? reach.get(ONE)! : Infinity);
function merged(a: Reach, b: Reach, join: (x: number, y: number) => number): Reach {
  const out = new Map(a);
  for (const [by, most] of b) out.set(by, join(out.get(by) ?? 0, most));
  return out;
}
const plus = (a: Reach, b: Reach): Reach => merged(a, b, (x, y) => x + y);
const either = (a: Reach, b: Reach): Reach => merged(a, b, Math.max);
const times = (reach: Reach, factor: number): Reach =>
  new Map([...reach].map(([by, most]) => [by, most === 0 ? 0 : Math.floor(most * factor)]));
function product(a: Reach, b: Reach): Reach {
  const [one, other] = largest(b) < Infinity ? [a, b] : [b, a];
  return times(one, largest(other));
}
