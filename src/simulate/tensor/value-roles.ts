/**
 * The uses that a kernel makes of the numbers in an array, followed through arithmetic, calls and regions: numbers that become
 * addresses, bounds of loops or shift amounts have a range that must be kept; others can be anything.
 */
import { BufferOpInterface } from "../../dialects/amdg/ops/buffer.js";
import * as cf from "../../dialects/cf/ops/index.js";
import * as scf from "../../dialects/scf/ops/index.js";
import * as tt from "../../dialects/tt/ops/index.js";
import { PointerType, TensorDescType } from "../../dialects/tt/types.js";
import { elementTypeOrSelf, FloatType, IntegerType, isFloat } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName, symbolsOf } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";

/**
 * `index`: an address, a bound, an amount, or what a loop ends by. `divisor`: something is divided by it. `bits`: it is read as the
 * bits of a float. `ordered`: it is combined in an order that equal, huge or no numbers make a difference to. `opaque`: a function whose domain is not known here takes it.
 * `flushed`: denormals of it are zero in some stages: a function takes it that GPUs have in such a form, or a product of f32 that may be
 * one of narrower parts, of which infinity times zero is NaN. `pitch`: it becomes a stride of a descriptor, or is
 * added to a value that `tl.multiple_of` says is a multiple.
 * `finite`: targets differ in what they make of infinities and NaN.
 */
export type ValueRole = "index" | "divisor" | "bits" | "ordered" | "opaque" | "flushed" | "pitch" | "finite";

/** The roles of the elements loaded through `arg`, a pointer or a descriptor of a function in `module`. */
export function valueRoles(module: Operation, arg: Value): ReadonlySet<ValueRole> {
  const roles = new Set<ValueRole>();
  const functions = symbolsOf(module);
  const kinds = { pointer: new Set<Value>(), multiple: new Set<Value>(), value: new Set<Value>(), flag: new Set<Value>() };
  const todo: { readonly value: Value; readonly kind: Kind }[] = [];
  const reach = (value: Value | undefined, kind: Kind): void => {
    if (!value || kinds[kind].has(value)) return;
    kinds[kind].add(value);
    todo.push({ value, kind });
  };
  reach(arg, "pointer");
  for (let at = todo.pop(); at; at = todo.pop()) {
    const { value, kind } = at;
    for (const { owner, index } of value.uses()) {
      // Counters and locks start at 0.
      if (kind === "pointer" && (isAtomic(owner) || tt.DescriptorReduceOp.is(owner))) roles.add("index");
      if ((kind === "multiple" || (kind === "pointer" && tt.LoadOp.is(owner))) && owner.hasAttr("tt.divisibility")) roles.add("pitch");
      if (kind !== "pointer") for (const role of rolesOf(owner, index, kind, functions)) roles.add(role);
      for (const next of targets(owner, index, functions)) reach(next, kindAfter(owner, next, kind));
    }
  }
  return roles;
}

/** Pointers lead to the values loaded, which are parts of sums (`multiple`) until they are divided or are the index of a load; a comparison of values only to what ends by it. */
type Kind = "pointer" | "multiple" | "value" | "flag";

/** The roles implied by a use of a loaded value, or of a comparison with one. */
function rolesOf(
  op: Operation,
  index: number,
  kind: Exclude<Kind, "pointer">,
  functions: ReadonlyMap<string, Operation>,
): readonly ValueRole[] {
  if (scf.ConditionOp.is(op)) return index === 0 ? ["index"] : [];
  if (tt.AssertOp.is(op) || cf.AssertOp.is(op) || op.name === "llvm.intr.assume") return ["index"];
  if (kind === "flag") return [];
  const { name } = op;
  if (scf.ForOp.is(op)) return index < 3 ? ["index"] : [];
  if (tt.AddPtrOp.is(op) || tt.GatherOp.is(op)) return index === 1 ? ["index"] : [];
  const buffer = op.def.interface(BufferOpInterface);
  if (buffer && index === buffer.offsets) return ["index"];
  if (tt.HistogramOp.is(op) || tt.IntToPtrOp.is(op) || tt.AdvanceOp.is(op)) return ["index"];
  if (tt.MakeTensorPtrOp.is(op)) return ["index"];
  if (tt.MakeTensorDescOp.is(op)) return index > (op.numOperands - 1) / 2 ? ["index", "pitch"] : ["index"];
  // Stores and reductions take their value last or second, beside places.
  if (name.startsWith("tt.descriptor_")) return IntegerType.is(elementTypeOrSelf(op.operand(index).type)) && index !== 1 ? ["index"] : [];
  if (tt.ExternElementwiseOp.is(op) || tt.ElementwiseInlineAsmOp.is(op)) return ["opaque", "flushed"];
  if (/^arith\.(?:shli|shrsi|shrui)$/.test(name)) return index === 1 ? ["index"] : [];
  if (/^arith\.(?:ceil|floor)?(?:div|rem)[su]i$/.test(name)) return index === 1 ? ["divisor"] : [];
  if (/^(?:math\.(?!absf|fma)|tt\.precise_|arith\.divf)/.test(name)) return ["flushed"];
  if (tt.DotOp.is(op) && isFloat(elementTypeOrSelf(op.operand(index).type), "f32")) return ["flushed"];
  // Where no instruction takes scales, e5m2 becomes bf16 with bits, and its infinities and NaN are numbers then.
  if (tt.DotScaledOp.is(op)) return isFloat(elementTypeOrSelf(op.operand(index).type), "f8E5M2") ? ["finite"] : ["bits"];
  if (tt.BitcastOp.is(op) || name === "arith.bitcast") return FloatType.is(elementTypeOrSelf(op.result(0).type)) ? ["bits"] : [];
  if (isAtomic(op) || tt.ReduceOp.is(op) || tt.ScanOp.is(op)) return isOrderless(op, functions) ? [] : ["ordered"];
  return [];
}

/** Whether it does not matter in which order an op combines elements, whatever they are: sums, and the largest or least of them. */
function isOrderless(op: Operation, functions: ReadonlyMap<string, Operation>): boolean {
  if (op.numOperands > 1 || op.regions.length === 0) return false;
  let orderless = true;
  const visit = (inner: Operation): void => {
    const callee = functions.get(tt.CallOp.match(inner)?.callee ?? "");
    if (callee) callee.walk((x) => (x === callee ? undefined : void visit(x)));
    else orderless &&= inner.def.isTerminator || tt.CallOp.is(inner) || ORDERLESS.test(inner.name);
  };
  for (const inner of op.regions[0]!.firstBlock!.ops()) visit(inner);
  return orderless;
}
const isAtomic = ({ name }: Operation): boolean => /^(?:tt\.|amdg\.buffer_)atomic/.test(name);
const ORDERLESS = /^arith\.(?:add[if]|muli|max\w+|min\w+|andi|ori|xori)$/;

/** Where a value goes on to: results, arguments of regions, blocks and functions. */
function targets(op: Operation, index: number, functions: ReadonlyMap<string, Operation>): readonly (Value | undefined)[] {
  const { parentOp } = op;
  if (scf.ForOp.is(op)) return index < 3 ? [] : [op.regions[0]!.firstBlock!.args[index - 2], op.results[index - 3]];
  if (scf.WhileOp.is(op)) return [op.regions[0]!.firstBlock!.args[index]];
  if (scf.ConditionOp.is(op)) return index === 0 ? [] : [parentOp!.regions[1]!.firstBlock!.args[index - 1], parentOp!.results[index - 1]];
  if (scf.YieldOp.is(op) && parentOp) {
    if (scf.WhileOp.is(parentOp)) return [parentOp.regions[0]!.firstBlock!.args[index]];
    return [parentOp.results[index], scf.ForOp.is(parentOp) ? parentOp.regions[0]!.firstBlock!.args[index + 1] : undefined];
  }
  if (tt.CallOp.is(op)) return [functions.get(tt.CallOp.match(op)!.callee)?.regions[0]?.firstBlock?.args[index]];
  if (tt.ReturnOp.is(op)) return callers(functions, symbolName(parentOp!)).map((call) => call.results[index]);
  if (op.successors.length > 0) {
    const { type } = op.operand(index);
    return op.successors.flatMap(({ block }) => block.args.filter((arg) => arg.type === type));
  }
  if (op.def.isTerminator) return [...(parentOp?.results ?? []), ...(op.block?.args ?? [])];
  return [...op.results, ...op.regions.flatMap((region) => region.firstBlock?.args ?? [])];
}

function callers(functions: ReadonlyMap<string, Operation>, name: string | undefined): readonly Operation[] {
  const found: Operation[] = [];
  for (const fn of functions.values())
    fn.walk((op) => {
      if (tt.CallOp.match(op)?.callee === name) found.push(op);
    });
  return found;
}

/** The kind of value that an op makes from a value of a kind. */
function kindAfter(op: Operation, next: Value | undefined, kind: Kind): Kind {
  if (!next || kind === "flag") return kind;
  const element = elementTypeOrSelf(next.type);
  if (kind === "pointer") return PointerType.is(element) || TensorDescType.is(next.type) ? "pointer" : "multiple";
  if (op.name.startsWith("arith.cmp")) return "flag";
  return tt.LoadOp.is(op) || (op.name.startsWith("arith.") && !SUMS.test(op.name)) ? "value" : kind;
}
const SUMS = /^arith\.(?:addi|subi|muli|shli|extsi|extui|trunci|index_cast)$/;
