/** Functions on pointers and tensors, by CuTe's names. */

import { asCoordinate } from "../../arithmetic.js";
import * as any from "../../composed-layout.js";
import * as plain from "../../layout.js";
import { type NumericType, numericTypes } from "../../numeric-type.js";
import {
  coordinateTensor,
  copyElements,
  fill,
  localPartition,
  localTile,
  type MemoryPointer,
  makeTensor,
  memoryPointer,
  outerPartition,
  type Pointer,
  recastTensor,
  type Tensor,
  withLayout,
} from "../../tensor.js";
import { CuteError, tuple } from "../../term.js";
import { type Call, isTerm, layoutOf, nameOfKind, numberOfValue, numericOf, plainLayoutOf, termOf, type Value } from "../value.js";
import { makeLayout } from "./algebra.js";
import { arg, type Library, layoutArg, onLayout, optionalTerm, path, tensorArg, term } from "./define.js";

const byte = numericTypes.get("uint8_t")!;

/** A pointer of a memory space from a raw pointer, an address or nullptr; `<T>` gives the element type. */
const tagged =
  (space: MemoryPointer["space"]) =>
  (c: Call): Value => {
    const v = arg(c, 0);
    const element = c.templateArgs[0] ? numericOf(c.templateArgs[0]) : undefined;
    const pointer = pointerOf(v, element);
    if (pointer.kind !== "memory") return { kind: "pointer", pointer };
    const swizzle = c.args[1] && termOf(c.args[1]);
    return {
      kind: "pointer",
      pointer: { ...pointer, space, swizzle: swizzle?.kind === "swizzle" && swizzle.bits > 0 ? swizzle : pointer.swizzle },
    };
  };

function pointerOf(v: Value, element?: NumericType): Pointer {
  if (v.kind === "pointer") return element && v.pointer.kind === "memory" ? { ...v.pointer, element } : v.pointer;
  if (v.kind === "tensor") return v.data;
  if (isTerm(v) || v.kind === "number") {
    const pointer = memoryPointer(element ?? byte, "raw", numberOfValue(v));
    return pointer;
  }
  throw new CuteError(`expected a pointer, found ${nameOfKind(v)}`);
}

/** The address given to arrays of owning tensors; real addresses differ from run to run. */
const arrayAddress = 0x1000;
const owned = (element: NumericType, layout: any.DomainLayout): Tensor => makeTensor(memoryPointer(element, "raw", arrayAddress), layout);

/** make_tensor(pointer, layout | shape, stride..), make_tensor<T>(layout | shape..). */
function makeTensorCall(c: Call): Value {
  const first = arg(c, 0);
  if (first.kind !== "pointer") {
    if (c.templateArgs.length === 0) throw new CuteError("make_tensor needs a pointer, or an element type as template argument");
    return owned(numericOf(c.templateArgs[0]), layoutFrom(c.args));
  }
  return makeTensor(first.pointer, layoutFrom(c.args.slice(1)));
}

function layoutFrom(args: readonly Value[]): any.DomainLayout {
  const [first] = args;
  if (first && args.length === 1 && (first.kind === "layout" || first.kind === "composed")) return first;
  return layoutOf(makeLayout(args)) as any.DomainLayout;
}

const elementOf = (t: Tensor): NumericType => (t.data.kind === "memory" ? t.data.element : numericTypes.get("int")!);

/** A fragment: registers laid out like the tensor's values. */
export function fragmentLike(v: Value, element: NumericType | undefined): Value {
  if (v.kind === "tensor") return owned(element ?? elementOf(v), any.fragmentLike(v.layout));
  const l = v.kind === "layout" || v.kind === "composed" ? any.fragmentLike(v) : plain.compactLayout(termOf(v));
  return element ? owned(element, l) : l;
}

/** Functions that take or give tensors. */
export const dataLibrary: Library = {
  make_gmem_ptr: tagged("gmem"),
  make_smem_ptr: tagged("smem"),
  make_rmem_ptr: tagged("rmem"),
  raw_pointer_cast: (c) => ({ kind: "pointer", pointer: { ...pointerOf(arg(c, 0)), space: "raw" } as Pointer }),
  recast_ptr: (c) => {
    const pointer = pointerOf(arg(c, 0));
    const element = numericOf(c.templateArgs[0]);
    if (pointer.kind !== "memory") return { kind: "pointer", pointer };
    return { kind: "pointer", pointer: { ...pointer, element, offset: (pointer.offset * pointer.element.bits) / element.bits } };
  },
  make_inttuple_iter: (c) => ({
    kind: "pointer",
    pointer: { kind: "coordinates", at: asCoordinate(c.args.length === 1 ? term(c, 0) : tuple(...c.args.map(termOf))) },
  }),
  counting_iterator: (c) => ({ kind: "pointer", pointer: { kind: "counting", at: c.args[0] ? numberOfValue(c.args[0]) : 0 } }),
  make_counting_tensor: (c) => makeTensor({ kind: "counting", at: 0 }, layoutArg(c, 0) as any.DomainLayout),
  make_tensor: makeTensorCall,
  make_tensor_like: (c) => {
    const v = arg(c, 0);
    const element = c.templateArgs[0] ? numericOf(c.templateArgs[0]) : v.kind === "tensor" ? elementOf(v) : undefined;
    if (!element) throw new CuteError("make_tensor_like needs an element type");
    return owned(element, plain.layoutLike(any.domainOf(layoutOf(v))));
  },
  make_fragment_like: (c) => fragmentLike(arg(c, 0), c.templateArgs[0] && numericOf(c.templateArgs[0])),
  make_coord_tensor: (c) => coordinateTensor(plainLayoutOf(arg(c, 0))),
  tensor: (c) => withLayout(tensorArg(c, 0), (l) => (c.templateArgs.length > 0 ? any.mode(l, ...path(c)) : l)),
  recast: (c) => recastTensor(tensorArg(c, 0), numericOf(c.templateArgs[0])),
  local_tile: (c) => localTile(tensorArg(c, 0), term(c, 1), term(c, 2), optionalTerm(c, 3)),
  inner_partition: (c) => localTile(tensorArg(c, 0), term(c, 1), term(c, 2)),
  outer_partition: (c) => outerPartition(tensorArg(c, 0), term(c, 1), term(c, 2)),
  local_partition: (c) => localPartition(tensorArg(c, 0), plainLayoutOf(arg(c, 1)), term(c, 2), optionalTerm(c, 3)),
  fill: (c) => {
    const value = numberOfValue(arg(c, 1));
    fill(tensorArg(c, 0), () => value);
    return { kind: "void" };
  },
  clear: (c) => {
    fill(tensorArg(c, 0), () => 0);
    return { kind: "void" };
  },
  /** copy(src, dst) and copy(tiled_copy or policy, src, dst): the elements of one thread. */
  copy: (c) => {
    const [from, to] = c.args.slice(-2);
    if (from?.kind !== "tensor" || to?.kind !== "tensor") throw new CuteError("copy needs two tensors");
    copyElements(from, to);
    return { kind: "void" };
  },
  as_position_independent_swizzle_tensor: onLayout((l) => any.positionIndependent(l)),
};

/** Methods of tensors beside those of layouts. */
export const tensorMethods: Library = {
  data: (c) => ({ kind: "pointer", pointer: tensorArg(c, 0).data }),
  tensor: (c) => tensorArg(c, 0),
};
