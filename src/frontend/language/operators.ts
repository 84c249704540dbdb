/** A tensor's methods and attributes. Methods written in Triton itself are in the prelude, see `modules.ts`. */
import { ARITHMETIC } from "./builtins/arithmetic.js";
import { ATOMIC } from "./builtins/atomic.js";
import { BLOCKS } from "./builtins/blocks.js";
import { CAST } from "./builtins/cast.js";
import { CREATION } from "./builtins/creation.js";
import { DEBUG } from "./builtins/debug.js";
import { DOT } from "./builtins/dot.js";
import { LOOPS } from "./builtins/loops.js";
import { MATH_METHODS } from "./builtins/math.js";
import { MEMORY } from "./builtins/memory.js";
import { TENSOR_OPERATORS } from "./builtins/operators.js";
import { REDUCE } from "./builtins/reduce.js";
import { SHAPE } from "./builtins/shape.js";
import type { BuiltinDef } from "./define-builtin.js";
import { constexpr, dtypeOf, extentsOf, type PyValue, type Tensor, tuple } from "./values.js";

/** Functions of `tl` that are methods of tensors too. */
const TENSOR_MEMBERS: readonly string[] = [
  "broadcast_to",
  "trans",
  "permute",
  "split",
  "view",
  "item",
  "reshape",
  "expand_dims",
  "cast",
  "store",
  "advance",
  "reduce",
  "associative_scan",
  "histogram",
  "gather",
];

/** The functions of `triton.language.core`. */
export const CORE: ReadonlyMap<string, BuiltinDef> = new Map(
  [...CREATION, ...SHAPE, CAST, ...DOT, ...MEMORY, ...BLOCKS, ...ATOMIC, ...ARITHMETIC, ...REDUCE, ...DEBUG, ...LOOPS].map((def) => [
    def.name,
    def,
  ]),
);

const METHODS: ReadonlyMap<string, BuiltinDef> = new Map(
  [...MATH_METHODS, ...TENSOR_MEMBERS.map((name) => CORE.get(name)!), ...ATOMIC, ...TENSOR_OPERATORS].map((def) => [def.name, def]),
);

/** Methods of tensors, without those that operators call. */
export const TENSOR_METHOD_NAMES: readonly string[] = [...METHODS.keys()].filter((name) => !name.startsWith("__"));

/** The method of a tensor that is called so: `__add__`, `__radd__`, `to`, `store`, ... */
export const tensorMethod = (name: string): BuiltinDef | undefined => METHODS.get(name);

/** An attribute of a tensor that is not a method; undefined when there is none. */
export function tensorAttribute(x: Tensor, name: string): PyValue | undefined {
  switch (name) {
    case "type":
      return x.type;
    case "dtype":
      return dtypeOf(x);
    case "shape":
      return tuple(extentsOf(x).map((n) => constexpr(BigInt(n))));
    case "numel":
      return constexpr(BigInt(extentsOf(x).reduce((a, b) => a * b, 1)));
    default:
      return undefined;
  }
}
