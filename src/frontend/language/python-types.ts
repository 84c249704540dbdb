/** The classes that `triton.language` exports: for annotations, `isinstance`, and a few to be called. Source: core.py. */
import { shapeArgument } from "./builtins/arguments.js";
import { raise } from "./errors.js";
import { pyStr, pyTypeName } from "./python-text.js";
import { type BlockType, blockType, DTYPES, type Dtype, isBlock, type PointerType, pointerType, type TlType, tupleType } from "./types.js";
import {
  constexpr,
  elementsOf,
  isTensorType,
  PROPAGATE_NAN_ALL,
  PROPAGATE_NAN_NONE,
  type PyClass,
  type PyValue,
  tuple,
  unwrap,
} from "./values.js";

type Construct = (args: readonly PyValue[], named: ReadonlyMap<string, PyValue>) => PyValue;

function coreType(name: string, construct?: Construct, attrs: readonly (readonly [string, PyValue])[] = []): PyClass {
  const make: Construct = construct ?? (() => raise("TypeError", `${name} is not made by user code`));
  return {
    kind: "class",
    name,
    module: "triton.language.core",
    qualname: name,
    flavour: "type",
    attrs: new Map(attrs),
    fields: [],
    data: { kind: "native", construct: make },
  };
}

const argument = (args: readonly PyValue[], named: ReadonlyMap<string, PyValue>, at: number, name: string): PyValue =>
  unwrap(args[at] ?? named.get(name) ?? null);

function makePointer(args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): PointerType {
  const element = argument(args, named, 0, "element_ty");
  if (!isTensorType(element)) return raise("TypeError", `element_ty has type \`${pyTypeName(element)}\`; expected \`dtype\`.`);
  const space = argument(args, named, 1, "address_space");
  return pointerType(element, typeof space === "bigint" ? Number(space) : 1, argument(args, named, 2, "const") === true);
}
function makeBlock(args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): BlockType {
  const element = argument(args, named, 0, "element_ty");
  const shape = elementsOf(argument(args, named, 1, "shape"));
  if (!isTensorType(element) || isBlock(element) || !shape) return raise("AssertionError", "");
  return blockType(element, shapeArgument(shape));
}
function makeDtype(args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): Dtype {
  const name = argument(args, named, 0, "name");
  return (typeof name === "string" ? DTYPES.get(name) : undefined) ?? raise("AssertionError", pyStr(name));
}

/** `tl.PropagateNan`. */
const PROPAGATE_NAN = coreType("PropagateNan", undefined, [
  ["NONE", PROPAGATE_NAN_NONE],
  ["ALL", PROPAGATE_NAN_ALL],
]);

/** The exported classes by name. */
export const LANGUAGE_TYPES: ReadonlyMap<string, PyClass> = new Map(
  [
    coreType("constexpr", (args, named) => constexpr(argument(args, named, 0, "value"))),
    coreType("dtype", makeDtype),
    coreType("pointer_type", makePointer),
    coreType("block_type", makeBlock),
    coreType("tuple", (args) => tuple(elementsOf(args[0] ?? null) ?? [])),
    coreType("tuple_type", (args, named) => {
      const fields = elementsOf(argument(args, named, 1, "fields"))?.map(String);
      return tupleType((elementsOf(args[0] ?? null) ?? []) as readonly TlType[], fields);
    }),
    coreType("constexpr_type", (args) => ({ kind: "constexpr_type", value: unwrap(args[0] ?? null) })),
    coreType("slice", (args) => ({ kind: "slice", start: args[0] ?? null, stop: args[1] ?? null, step: args[2] ?? null })),
    coreType("tensor"),
    coreType("tensor_descriptor"),
    coreType("tensor_descriptor_base"),
    coreType("tensor_descriptor_type"),
    coreType("const"),
    coreType("base_value"),
    coreType("base_type"),
    PROPAGATE_NAN,
  ].map((cls) => [cls.name, cls]),
);

/** Dtypes as Python names them: `float16`, `bfloat16`, `int32`, `void`. */
export const DTYPE_NAMES: ReadonlyMap<string, Dtype> = new Map(
  [...DTYPES.values()].map((type) => [type.name.replace(/^fp/, "float").replace(/^bf/, "bfloat"), type]),
);
