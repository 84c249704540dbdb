/**
 * Arguments for a kernel without a host program. Pointers become buffers of their own; scalars are chosen from what the
 * kernel does with them, so that loops run a few times and masks cut:
 *
 *     n compared with a range of 1024      n = 1536 (one and a half blocks), or a little less without divisibility
 *     K that is the end of a loop by 32    K = 176 (five and a half steps)
 *     a stride                             more than what is reached within a row, so that rows do not overlap
 *
 * A preconditions file says what cannot be guessed: `{"scalars": {"K": 64}, "arrays": {"lens": {"kind": "range", "low": 8,
 * "high": 70}}, "grid": [2, 2, 1], "programs": [[0, 0, 0]]}`.
 */

import { BufferOpInterface } from "../../dialects/amdg/ops/buffer.js";
import * as arith from "../../dialects/arith/ops/index.js";
import { argumentAttr } from "../../dialects/builtin/function-op.js";
import * as scf from "../../dialects/scf/ops/index.js";
import * as tt from "../../dialects/tt/ops/index.js";
import { isTensorPointerType, PointerType, signlessBlockType, TensorDescType } from "../../dialects/tt/types.js";
import type { Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, FloatType, IntegerType, RankedTensorType, shapedParams } from "../../ir/builtin-types.js";
import { NameLoc } from "../../ir/location.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName, symbolsOf } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";
import type { InitialValues } from "../initial-values.js";
import type { BufferSpec } from "../memory.js";
import { type ElementKind, elementKind, isFloatKind } from "../numbers/element.js";
import { elementOfType } from "./elements.js";
import { madeUpStrides, type StrideArgument } from "./made-up-strides.js";
import { type ValueRole, valueRoles } from "./value-roles.js";

export type ArgumentPlan =
  | {
      readonly kind: "pointer";
      readonly name: string;
      readonly element: ElementKind;
      readonly init: InitialValues | undefined;
      /** The largest power of two that its address is a multiple of; by default 2^35. */
      readonly alignment?: number;
      readonly data?: Uint8Array;
    }
  | { readonly kind: "scalar"; readonly name: string; readonly value: number | bigint }
  | {
      readonly kind: "descriptor";
      readonly name: string;
      readonly element: ElementKind;
      readonly shape: readonly number[];
      readonly strides: readonly number[];
      readonly init?: InitialValues | undefined;
      readonly data?: Uint8Array;
    };

type DescriptorPlan = Extract<ArgumentPlan, { readonly kind: "descriptor" }>;

/** The buffer of a pointer or descriptor. */
export function bufferOf(plan: Exclude<ArgumentPlan, { readonly kind: "scalar" }>): BufferSpec {
  const { name, element, init, data } = plan;
  const alignment = plan.kind === "pointer" ? plan.alignment : undefined;
  return { name, element, ...(init ? { init } : {}), ...(data ? { data } : {}), ...(alignment ? { alignment } : {}) };
}

/** The contents of a preconditions file. */
export interface Preconditions {
  readonly scalars?: Readonly<Record<string, number>>;
  readonly arrays?: Readonly<Record<string, InitialValues>>;
  readonly grid?: readonly number[];
  readonly programs?: readonly (readonly number[])[];
  /** Shapes of descriptors, outermost dimension first, by name. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}

/**
 * How generous extents are: `cut` leaves masks something to do while loops go round several times, `whole` fills all blocks, `two` cuts
 * the second block, `short` the first one, so that loops go round once, and `empty` is `cut` but that loops do not run.
 */
export type Fit = "cut" | "whole" | "two" | "short" | "empty";

/** Which values arrays have that nothing is stated of. */
export interface MadeUp {
  /** `wide`: of either sign and any size, where nothing depends on their range. */
  readonly integers: "random" | "wide";
  /** A number: one in so many is infinite or NaN, where the kernel allows it. */
  readonly floats: "random" | "edges" | number;
}
const PLAIN: MadeUp = { integers: "random", floats: "random" };

/** Arguments for `kernel`, a function of `module`; `names` are those that preconditions use. */
export function planArguments(
  module: Operation,
  kernel: Operation,
  given: Preconditions = {},
  fit: Fit = "cut",
  names: readonly string[] = argumentNames(kernel),
  made: MadeUp = PLAIN,
): ArgumentPlan[] {
  const args = kernel.regions[0]!.firstBlock!.args;
  const uses = new Uses(module);
  const tables = pointerTables(kernel);
  const scales = scaleArguments(kernel);
  const partsOf = descriptorParts(kernel);
  const descriptors = new Map<number, DescriptorPlan>();
  let floats = 0;
  const strides: StrideArgument[] = [];
  const scalars = new Map<Value, number>();
  const plans = args.map((arg, i): ArgumentPlan => {
    const name = names[i]!;
    const { type } = arg;
    if (TensorDescType.is(type)) {
      const own = descriptorPlan(type, name, fit, given.shapes?.[name]);
      const plan = { ...own, init: given.arrays?.[name] ?? initialValuesOf(made, own.element, () => valueRoles(module, arg)) };
      descriptors.set(i, plan);
      return plan;
    }
    const part = partsOf.get(i);
    const is = (value: number): ArgumentPlan => {
      scalars.set(arg, value);
      return { kind: "scalar", name, value: numeric(type, value) };
    };
    if (part) return is(partOf(descriptors.get(part.descriptor)!, part));
    if (PointerType.is(type)) {
      const table = tables.get(arg);
      const element = kindOfPointee(type);
      const own: InitialValues | undefined = table ? { kind: "pointers", element: table } : scalesOf(made, scales.get(arg));
      const isBool = intWidth(elementTypeOrSelf(type.params.pointeeType)) === 1;
      const chosen = own ?? (isBool ? undefined : initialValuesOf(made, element, () => valueRoles(module, arg)));
      return { kind: "pointer", name, element, init: given.arrays?.[name] ?? chosen };
    }
    const stated = given.scalars?.[name];
    if (stated !== undefined) return is(stated);
    if (FloatType.is(type)) return { kind: "scalar", name, value: 0.25 * ++floats };
    // No number of blocks or elements: each side is taken once.
    if (intWidth(type) === 1) return is(fit === "short" ? 0 : 1);
    const role = uses.roleOf(arg);
    const divisor = Math.max(role.divisor, intOf(argumentAttr(kernel, i, "tt.divisibility")) ?? 1);
    if (role.kind === "extent") return is(extent(role, divisor, fit));
    strides.push({ arg, divisor });
    return { kind: "scalar", name, value: 0 };
  });
  const chosen = madeUpStrides(module, kernel, strides, scalars, given.grid ?? defaultGrid(module));
  return plans.map((plan, i) => {
    const value = chosen.get(args[i]!);
    return value === undefined || plan.kind !== "scalar" ? plan : { ...plan, value: numeric(args[i]!.type, value) };
  });
}

const intWidth = (type: Type): number | undefined => (IntegerType.is(type) ? type.params.width : undefined);

/** Values of an array of which nothing is stated, as what the kernel does with them allows; undefined: the usual ones. */
function initialValuesOf(
  { integers, floats }: MadeUp,
  element: ElementKind,
  rolesOf: () => ReadonlySet<ValueRole>,
): InitialValues | undefined {
  const isFloat = isFloatKind(element);
  if (!isFloat && rolesOf().has("pitch")) return PITCHES;
  if ((isFloat ? floats : integers) === "random") return undefined;
  const roles = rolesOf();
  if (!isFloat && roles.has("divisor") && roles.has("index")) return { kind: "range", low: 1, high: 16 };
  if (roles.has("index") || (!isFloat && roles.has("opaque"))) return undefined;
  if (!isFloat)
    return roles.has("bits") ? { kind: "wide", use: "bits" } : roles.has("divisor") ? { kind: "wide", use: "divisor" } : { kind: "wide" };
  if (roles.has("ordered")) return undefined;
  const normal = roles.has("flushed") ? ({ normal: true } as const) : {};
  return typeof floats === "number" && !roles.has("finite") ? { kind: "special", rate: floats, ...normal } : { kind: "edges", ...normal };
}

/** Why an argument cannot have this value: an integer has too few bits, or the kernel was compiled for another `tt.divisibility`. */
export function integerProblem(kernel: Operation, index: number, value: number): string | undefined {
  const { type } = kernel.regions[0]!.firstBlock!.args[index]!;
  if (!IntegerType.is(type)) return undefined;
  const { width } = type.params;
  // The bits may be meant as a signed or as an unsigned number.
  if (value < -(2 ** (width - 1)) || value >= 2 ** width) return `is an i${width}, which cannot hold ${value}`;
  const divisor = intOf(argumentAttr(kernel, index, "tt.divisibility")) ?? 1;
  return value % divisor === 0 ? undefined : `is compiled as a multiple of ${divisor}, and ${value} is none`;
}

const numeric = (type: Type, value: number): number | bigint =>
  IntegerType.is(type) && type.params.width > 32 ? BigInt(Math.trunc(value)) : value;

/**
 * The arguments' names in the source: those of their locations, else those that the IR is written with in `text`. The shape and
 * the strides that follow a descriptor `d` are `d.shape.0`, ..., `d.stride.0`, ...
 */
export function argumentNames(kernel: Operation, text = ""): string[] {
  const { args } = kernel.regions[0]!.firstBlock!;
  const begin = text.indexOf(`@${symbolName(kernel)}(`);
  const line = begin < 0 ? "" : text.slice(begin, text.indexOf("\n", begin));
  const written = [...line.matchAll(/[(,]\s*%([\w$.-]+):/g)].map(([, name]) => name!);
  const parts = descriptorParts(kernel);
  const names: string[] = [];
  for (const [i, { loc }] of args.entries()) {
    const part = parts.get(i);
    const own = NameLoc.is(loc) ? loc.params.name : written.length === args.length ? written[i]! : `arg${i}`;
    const name = part ? `${names[part.descriptor]}.${part.of}.${part.dim}` : own;
    names.push(names.includes(name) ? `${name}.${i}` : name);
  }
  return names;
}

/** A scalar that belongs to the descriptor before it. */
interface DescriptorPart {
  readonly descriptor: number;
  readonly of: "shape" | "stride";
  readonly dim: number;
}

/** Which arguments are the shape (i32) and the strides (i64) of a host descriptor: those that follow it under its name. */
export function descriptorParts(kernel: Operation): ReadonlyMap<number, DescriptorPart> {
  const { args } = kernel.regions[0]!.firstBlock!;
  const parts = new Map<number, DescriptorPart>();
  for (const [i, { type, loc }] of args.entries()) {
    if (!TensorDescType.is(type)) continue;
    const { length: rank } = type.params.blockType.params.shape;
    const following = args.slice(i + 1, i + 1 + 2 * rank);
    const isPart = (at: number) => {
      const { type: t, loc: l } = following[at]!;
      return IntegerType.is(t) && t.params.width === (at < rank ? 32 : 64) && (!NameLoc.is(loc) || l === loc);
    };
    if (following.length < 2 * rank || !following.every((_, at) => isPart(at))) continue;
    following.forEach((_, at) =>
      parts.set(i + 1 + at, at < rank ? { descriptor: i, of: "shape", dim: at } : { descriptor: i, of: "stride", dim: at - rank }),
    );
  }
  return parts;
}
/** The number that a part of a descriptor must have. */
export const partOf = ({ shape, strides }: DescriptorPlan, { of, dim }: DescriptorPart): number => (of === "shape" ? shape : strides)[dim]!;

/** The element kind of what a pointer points to; bytes where it has none of its own. */
function kindOfPointee(type: Type): ElementKind {
  const pointee = PointerType.is(type) ? elementTypeOrSelf(type.params.pointeeType) : type;
  return kindOfElement(pointee);
}
function kindOfElement(type: Type): ElementKind {
  if (IntegerType.is(type)) return elementKind(`i${Math.max(8, type.params.width)}`) ?? "i8";
  if (PointerType.is(type)) return "i64";
  if (!FloatType.is(type)) return "i8";
  if (type.params.kind === "f8E4M3B11FNUZ") return "f8E4M3B15";
  return elementKind(type.params.kind) ?? "i8";
}

function descriptorPlan(type: Type, name: string, fit: Fit, given: readonly number[] | undefined): DescriptorPlan {
  const { shape: block, elementType } = signlessBlockType(type).params;
  const shape = given ?? block.map((n) => extent({ block: n, loop: false }, 16, fit));
  return { kind: "descriptor", name, element: kindOfElement(elementType), shape, strides: contiguous(shape) };
}
/** The strides of a tensor without gaps, in elements. */
export const contiguous = (shape: readonly number[]): number[] => shape.map((_, d) => shape.slice(d + 1).reduce((a, b) => a * b, 1));

/** One and a half blocks, more where a loop goes over them (a ring of buffers comes round then), or whole blocks; a multiple of `divisor`. */
function extent({ block, loop }: Pick<Role, "block" | "loop">, divisor: number, fit: Fit): number {
  if (loop && fit === "empty") return 0;
  if (block === undefined || block <= 1) return divisor > 1 ? divisor : fit === "short" ? 1 : fit === "two" ? 2 : loop ? 5 : 3;
  if (fit === "short") return Math.max(divisor, Math.floor((0.75 * block - (divisor === 1 && block > 4 ? 1 : 0)) / divisor) * divisor);
  const blocks = fit === "two" ? 1 : loop ? 5 : block >= 64 ? 1 : 3;
  if (fit === "whole") return Math.max(block * (blocks + 1), divisor);
  const cut = block * blocks + block / 2 - (divisor === 1 && block > 4 ? 3 : 0);
  return Math.max(divisor, Math.floor(cut / divisor) * divisor);
}
/**
 * Two programs along each axis that the module asks for, three where it is only one. Where programs of the same remainder meet in atomics, as
 * at locks, there are enough that the first and the last do.
 */
export function defaultGrid(module: Operation): number[] {
  const used = new Map<number, number>();
  let hasAtomics = false;
  module.walk((op) => {
    hasAtomics ||= tt.AtomicCASOp.is(op) || tt.AtomicRMWOp.is(op);
    if (op.name !== "tt.get_program_id" && op.name !== "tt.get_num_programs") return;
    const axis = intOf(op.attr("axis")) ?? 0;
    used.set(axis, Math.max(used.get(axis) ?? 0, tt.GetProgramIdOp.is(op) ? modulusOf(op.result(0)) : 0));
  });
  const usual = used.size > 1 ? 2 : 3;
  return [0, 1, 2].map((axis) => {
    const modulus = used.get(axis);
    return modulus === undefined ? 1 : Math.max(usual, hasAtomics ? modulus + 1 : 0);
  });
}

/** The largest constant that the remainder of a program's number is taken by, unless it is very large. */
function modulusOf(program: Value): number {
  const found = [...program.uses()].map(({ owner, index }) => {
    if (index !== 0 || !(arith.RemSIOp.is(owner) || arith.RemUIOp.is(owner))) return 0;
    const by = Number(constantInt(owner.operand(1)) ?? 0n);
    return by <= MOST_PROGRAMS ? by : 0;
  });
  return Math.max(0, ...found);
}
const MOST_PROGRAMS = 1024;

/** Which arguments hold addresses, and of what: their elements flow into `tt.int_to_ptr`. */
function pointerTables(kernel: Operation): Map<Value, ElementKind> {
  const tables = new Map<Value, ElementKind>();
  kernel.walk((op) => {
    if (!tt.IntToPtrOp.is(op)) return;
    const load = rootOf(op.operand(0));
    const pointer = tt.LoadOp.match(load.definingOp)?.ptr;
    if (pointer) tables.set(rootOf(pointer), kindOfPointee(elementTypeOrSelf(op.result(0).type)));
  });
  return tables;
}
/** Strides of descriptors: multiples of 16 bytes whatever the element, and more than most rows have. */
const PITCHES: InitialValues = { kind: "range", low: 256, high: 512, step: 16 };
/** Exponents of scales around 1: 2^-4 to 2^3; where floats are special, some are NaN, unless a kernel promises that there is none. */
function scalesOf({ floats }: MadeUp, use: ScaleUse | undefined): InitialValues | undefined {
  const rate = typeof floats === "number" && use === "any" ? { rate: Math.max(32, floats / 16) } : {};
  return use && { kind: "range", low: 123, high: 131, ...rate };
}
type ScaleUse = "any" | "noNan";

/** Which arguments hold the scales of `tt.dot_scaled`. */
function scaleArguments(kernel: Operation): ReadonlyMap<Value, ScaleUse> {
  const scales = new Map<Value, ScaleUse>();
  kernel.walk((op) => {
    const dot = tt.DotScaledOp.match(op);
    for (const scale of dot ? [dot.a_scale, dot.b_scale] : []) {
      const from = scale && rootOf(scale).definingOp;
      const descriptor = tt.DescriptorLoadOp.match(from)?.desc;
      const pointer = descriptor ? tt.MakeTensorDescOp.match(rootOf(descriptor).definingOp)?.base : tt.LoadOp.match(from)?.ptr;
      if (!pointer) continue;
      const arg = rootOf(pointer);
      scales.set(arg, dot!.fastMath || scales.get(arg) === "noNan" ? "noNan" : "any");
    }
  });
  return scales;
}

/** Where a value comes from, through ops that only move or offset it, and from before the loops that carry it. */
function rootOf(value: Value): Value {
  for (let at = value; ; ) {
    const op = at.definingOp;
    const loop = scf.ForOp.match(at.argOwner?.parentOp);
    if (loop && at.index > 0) at = loop.initArgs[at.index - 1]!;
    else if (op && MOVES.has(op.name)) at = op.operand(0);
    else return at;
  }
}
const MOVES: ReadonlySet<string> = new Set(
  ["addptr", "splat", "broadcast", "expand_dims", "bitcast", "trans", "reshape"].map((name) => `tt.${name}`).concat("ttg.convert_layout"),
);

interface Role {
  readonly kind: "extent" | "stride";
  /** The largest block that it is compared or divided with. */
  readonly block: number | undefined;
  /** Whether a loop goes over these blocks one by one. */
  readonly loop: boolean;
  /** It is a stride of a tensor descriptor if this is above 1: strides are multiples of 16 bytes (PTX ISA, cuTensorMapEncodeTiled). */
  readonly divisor: number;
}

/** The uses of scalars, followed through arithmetic, calls and loops. */
class Uses {
  readonly #functions: ReadonlyMap<string, Operation>;
  constructor(module: Operation) {
    this.#functions = symbolsOf(module);
  }

  roleOf(arg: Value): Role {
    interface Reached {
      readonly value: Value;
      /** Not multiplied with something else: as many as the argument says. */
      readonly direct: boolean;
    }
    const seen = { direct: new Set<Value>([arg]), other: new Set<Value>() };
    const todo: Reached[] = [{ value: arg, direct: true }];
    const blocks: number[] = [];
    let bounds = false;
    let addresses = false;
    let loop = false;
    let divisor = 1;
    for (let reached = todo.pop(); reached; reached = todo.pop()) {
      const { value, direct } = reached;
      const follow = (next: Value, stillDirect = direct) => {
        const set = stillDirect ? seen.direct : seen.other;
        if (set.has(next) || seen.direct.has(next)) return;
        set.add(next);
        todo.push({ value: next, direct: stillDirect });
      };
      for (const { owner, index } of value.uses()) {
        const other = owner.numOperands === 2 ? owner.operand(1 - index) : undefined;
        switch (owner.name) {
          case "arith.cmpi":
            // A comparison with a constant is a check for overflow, or of a flag.
            if (constantInt(other) === undefined) bounds = true;
            if (RankedTensorType.is(value.type)) blocks.push(Math.max(...value.type.params.shape, ...rangeOf(other)));
            break;
          case "scf.for":
            if (index === 1) {
              bounds = true;
              loop ||= direct;
              blocks.push(Number(constantInt(owner.operand(2)) ?? 1n));
            } else if (index > 2) follow(owner.regions[0]!.firstBlock!.args[index - 2]!);
            break;
          case "arith.divsi":
          case "arith.divui":
          case "arith.ceildivsi":
          case "arith.remsi":
            bounds = true;
            if (index === 0) {
              const divisor = constantInt(other);
              if (divisor !== undefined) blocks.push(Number(divisor));
            }
            follow(owner.result(0));
            break;
          case "tt.addptr":
            addresses = true;
            break;
          case "tt.make_tensor_ptr":
          case "tt.make_tensor_descriptor":
            // Shapes come before strides, and those before offsets.
            if (index <= (owner.numOperands - 1) / (tt.MakeTensorPtrOp.is(owner) ? 3 : 2)) {
              const block = blockOf(owner.result(0).type)[index - 1];
              bounds = true;
              if (block !== undefined) blocks.push(block);
            } else {
              addresses = true;
              if (tt.MakeTensorDescOp.is(owner) && index < owner.numOperands - 1) divisor = Math.max(divisor, 16 / bytesOf(owner));
            }
            break;
          case "tt.call": {
            const body = this.#functions.get(tt.CallOp.match(owner)!.callee)?.regions[0]?.firstBlock;
            if (body) {
              follow(body.args[index]!);
              for (const result of owner.results) follow(result);
            }
            break;
          }
          default:
            if (owner.def.interface(BufferOpInterface)?.offsets === index) addresses = true;
            if (owner.name.startsWith("arith.") || ["tt.splat", "tt.broadcast", "tt.expand_dims"].includes(owner.name))
              for (const result of owner.results) follow(result, direct && owner.name !== "arith.muli");
        }
      }
    }
    return { kind: bounds || !addresses ? "extent" : "stride", block: blocks.length > 0 ? Math.max(...blocks) : undefined, loop, divisor };
  }
}
/** The size of an element of a descriptor's tensor, in bytes. */
const bytesOf = (descriptor: Operation): number => elementOfType(signlessBlockType(descriptor.result(0).type).params.elementType)!.bytes;
const blockOf = (type: Type): readonly number[] =>
  TensorDescType.is(type)
    ? type.params.blockType.params.shape
    : isTensorPointerType(type) && PointerType.is(type)
      ? shapedParams(type.params.pointeeType).shape
      : [];
/** The size of a tensor that is compared with. */
const rangeOf = (value: Value | undefined): readonly number[] => (value && RankedTensorType.is(value.type) ? value.type.params.shape : []);
