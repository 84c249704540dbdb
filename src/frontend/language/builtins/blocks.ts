/** Block pointers and tensor descriptors. Source: python/triton/language/core.py. */
import { type BuiltinDef, defineBuiltin, REQUIRED, STAR } from "../define-builtin.js";
import { check, raise } from "../errors.js";
import { noAttribute } from "../python-text.js";
import { advanceBlockPointer, blockPointerBase, isBlockPointer } from "../semantic/block-pointers.js";
import {
  advance,
  type DescriptorReduction,
  descriptorGather,
  descriptorLoad,
  descriptorReduce,
  descriptorScatter,
  descriptorStore,
  makeTensorDescriptor,
} from "../semantic/blocks.js";
import { type Descriptor, dtypeOf, isDescriptor, type PyInstance, type PyValue, tuple, unwrap } from "../values.js";
import { self } from "./arguments.js";
import { MEMORY } from "./memory.js";

function descriptorOf(value: PyValue): Descriptor {
  if (isDescriptor(value)) return value;
  return raise("AttributeError", noAttribute(value, "load"));
}

const load = defineBuiltin("load", { self: REQUIRED, offsets: REQUIRED }, (s, a) => descriptorLoad(s, descriptorOf(a.self), a.offsets));
const store = defineBuiltin("store", { self: REQUIRED, offsets: REQUIRED, value: REQUIRED }, (s, a) => {
  descriptorStore(s, descriptorOf(a.self), self(a.value), a.offsets);
  return null;
});
const reductions = (["add", "min", "max", "and", "or", "xor"] as const).map((kind: DescriptorReduction) =>
  defineBuiltin(`atomic_${kind}`, { self: REQUIRED, offsets: REQUIRED, value: REQUIRED }, (s, a) => {
    descriptorReduce(s, kind, descriptorOf(a.self), self(a.value), a.offsets);
    return null;
  }),
);
const gather = defineBuiltin("gather", { self: REQUIRED, args: STAR }, (s, a) => {
  check(a.args.length === 2, `descriptor gather only supports 2D indexing, but got ${a.args.length}`);
  return descriptorGather(s, descriptorOf(a.self), self(a.args[0]!), a.args[1]!);
});
const scatter = defineBuiltin("scatter", { self: REQUIRED, value: REQUIRED, args: STAR }, (s, a) => {
  check(a.args.length === 2, `descriptor scatter only supports 2D indexing, but got ${a.args.length}`);
  descriptorScatter(s, descriptorOf(a.self), self(a.value), self(a.args[0]!), a.args[1]!);
  return null;
});

const DESCRIPTOR_METHODS: ReadonlyMap<string, BuiltinDef> = new Map(
  [load, store, ...reductions, gather, scatter].map((def) => [def.name, def]),
);
/** The method of a tensor descriptor that is called so. */
export const descriptorMethod = ({ type }: Descriptor, name: string): BuiltinDef | undefined =>
  // Gluon's are loaded and stored by functions.
  type.layout ? undefined : DESCRIPTOR_METHODS.get(name);

/** An attribute of a tensor descriptor that is not a method; undefined when there is none. */
export function descriptorAttribute(desc: Descriptor, name: string): PyValue | undefined {
  const { block } = desc.type;
  switch (name) {
    case "type":
      return desc.type;
    case "dtype":
      return block.element;
    case "block_type":
      return block;
    case "block_shape":
      return tuple(block.shape.map(BigInt));
    case "layout":
      return desc.type.layout;
    case "shape":
      return desc.shape;
    case "strides":
      return desc.strides;
    default:
      return undefined;
  }
}

const ADVANCE = defineBuiltin(
  "advance",
  { base: REQUIRED, offsets: REQUIRED },
  (s, a) => (isBlockPointer(a.base) ? advanceBlockPointer(s, a.base, a.offsets) : advance(s, self(a.base), a.offsets)),
  {
    mustUseResult:
      "Note that tl.advance does not have any side effects. " +
      "To move the block pointer, you need to assign the result of tl.advance to a variable.",
  },
);

/** An attribute or method of a block pointer of 3.8. */
export function blockPointerMember(pointer: PyInstance, name: string): PyValue | undefined {
  if (name === "dtype") return dtypeOf(blockPointerBase(pointer));
  const def = [...MEMORY, ADVANCE].find((method) => method.name === name);
  return def && { kind: "bound_method", self: pointer, fn: { kind: "builtin", def } };
}

export const BLOCKS = [
  defineBuiltin("load_tensor_descriptor", { desc: REQUIRED, offsets: REQUIRED }, (s, a) =>
    descriptorLoad(s, descriptorOf(a.desc), a.offsets),
  ),
  defineBuiltin("store_tensor_descriptor", { desc: REQUIRED, offsets: REQUIRED, value: REQUIRED }, (s, a) => {
    descriptorStore(s, descriptorOf(a.desc), self(a.value), a.offsets);
    return null;
  }),
  defineBuiltin(
    "make_block_ptr",
    { base: REQUIRED, shape: REQUIRED, strides: REQUIRED, offsets: REQUIRED, block_shape: REQUIRED, order: REQUIRED },
    (s, a) =>
      s.rules.makeBlockPointer(s, self(a.base), {
        shape: a.shape,
        strides: a.strides,
        offsets: a.offsets,
        blockShape: a.block_shape,
        order: a.order,
      }),
  ),
  ADVANCE,
  defineBuiltin(
    "make_tensor_descriptor",
    { base: REQUIRED, shape: REQUIRED, strides: REQUIRED, block_shape: REQUIRED, padding_option: "zero" },
    (s, a) =>
      makeTensorDescriptor(s, self(a.base), {
        shape: a.shape,
        strides: a.strides,
        blockShape: a.block_shape,
        paddingOption: unwrap(a.padding_option),
      }),
  ),
];
