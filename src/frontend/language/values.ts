/**
 * The values that Python code of a kernel or of its module has while it is compiled.
 *
 * Plain Python values are plain here: None is null, an int a bigint, a float a number. A value that exists only at
 * compile time inside a kernel is wrapped in a `Constexpr`, as Triton does; builtins take both.
 */

import type { Attribute } from "../../ir/attribute.js";
import type { Context } from "../../ir/context.js";
import type { LocationRef } from "../../ir/location.js";
import type { Value } from "../../ir/value.js";
import type { EncodingParams } from "../../layout/encoding-params.js";
import type { BuiltinDef } from "./define-builtin.js";
import type {
  AccumulatorType,
  AggregateType,
  BlockType,
  BufferType,
  ClcResultType,
  DescriptorType,
  TensorType,
  TlType,
  TupleType,
} from "./types.js";
import { isBlock, scalarOf, shapeOf } from "./types.js";

/** Any value. */
export type PyValue = null | boolean | bigint | number | string | PyObject;
export type PyObject =
  | Tensor
  | Descriptor
  | Buffer
  | Accumulator
  | ClcResult
  | Layout
  | Constexpr
  | PyTuple
  | PyList
  | PyDict
  | PySlice
  | TlType
  | JitFunction
  | HostFunction
  | BuiltinFunction
  | BoundMethod
  | PyModule
  | PyClass
  | PyInstance
  | LoopRange
  | LoopCondition
  | EnumMember
  | Opaque;

/** A scalar, pointer or block that exists when the kernel runs. */
export interface Tensor {
  readonly kind: "tensor";
  readonly handle: Value;
  readonly type: TensorType;
}
/** A tensor descriptor, with its tensor's shape (i32) and strides (i64) where they are known. */
export interface Descriptor {
  readonly kind: "descriptor";
  readonly handle: Value;
  readonly type: DescriptorType;
  readonly shape: PyTuple | undefined;
  readonly strides: PyTuple | undefined;
}
/** A buffer in shared or tensor memory, in Gluon. */
export interface Buffer {
  readonly kind: "buffer";
  readonly handle: Value;
  readonly type: BufferType;
}
/** The result of an asynchronous wgmma, in Gluon. */
export interface Accumulator {
  readonly kind: "accumulator";
  readonly handle: Value;
  readonly type: AccumulatorType;
}
/** The response of a cluster launch control, in Gluon. */
export interface ClcResult {
  readonly kind: "clc_result";
  readonly handle: Value;
  readonly type: ClcResultType;
}
/** A layout of Gluon's: an object of a frozen dataclass. */
export interface Layout {
  readonly kind: "layout";
  readonly cls: PyClass;
  readonly fields: ReadonlyMap<string, PyValue>;
  /** Undefined where it has none (AutoLayout), or nobody asks for it. */
  readonly rank: number | undefined;
  /** As `repr(layout)`. */
  readonly text: string;
  /** As it is in the names of functions. */
  readonly mangled: string;
  /** The encoding, undefined where the compiler is to choose it; raises what its verifier says. */
  encoding(): EncodingParams | undefined;
  attr(ctx: Context): Attribute;
}
/** A value known at compile time. Never wraps another one. */
export interface Constexpr {
  readonly kind: "constexpr";
  readonly value: PyValue;
}
/** Python's tuples and `tl.tuple`. `fields` are the names of a named tuple. */
export interface PyTuple {
  readonly kind: "tuple";
  readonly values: readonly PyValue[];
  readonly fields?: readonly string[] | undefined;
  /** The named tuple's class, for what it prints as and for calls that copy it. */
  readonly cls?: PyClass | undefined;
  /** One of Python's own, which a kernel can hold as a constant alone. */
  readonly isPython?: true;
}
export interface PyList {
  readonly kind: "list";
  readonly values: PyValue[];
}
/** Keys are compared as Python compares them: see `dictKey` in `python-text.ts`. */
export interface PyDict {
  readonly kind: "dict";
  readonly entries: Map<string, readonly [key: PyValue, value: PyValue]>;
}
export interface PySlice {
  readonly kind: "slice";
  readonly start: PyValue;
  readonly stop: PyValue;
  readonly step: PyValue;
}
/** A `@triton.jit` function. Code generation and the host evaluator own the contents of `data`. */
export interface JitFunction {
  readonly kind: "jit";
  readonly name: string;
  /** Dotted name of its module: the front part of its mangled name. */
  readonly module: string;
  readonly qualname: string;
  readonly noinline: boolean;
  readonly data: unknown;
}
/** A Python function called at compile time: `@constexpr_function` (usable in kernels) or a plain `def`. */
export interface HostFunction {
  readonly kind: "host_function";
  readonly name: string;
  readonly constexpr: boolean;
  readonly data: unknown;
}
/** A function of the language that is written in TypeScript. */
export interface BuiltinFunction {
  readonly kind: "builtin";
  readonly def: BuiltinDef;
}
export interface BoundMethod {
  readonly kind: "bound_method";
  readonly self: PyValue;
  readonly fn: PyValue;
}
export interface PyModule {
  readonly kind: "module";
  readonly name: string;
  readonly attrs: Map<string, PyValue>;
}
export interface PyClass {
  readonly kind: "class";
  readonly name: string;
  readonly module: string;
  readonly qualname: string;
  /** `aggregate`: made by `@_aggregate`; `type`: one of Python's or Triton's own types, for isinstance. */
  readonly flavour: "plain" | "aggregate" | "namedtuple" | "type";
  readonly attrs: Map<string, PyValue>;
  /** Fields of an aggregate or named tuple, with their annotations. */
  readonly fields: readonly (readonly [string, PyValue])[];
  readonly data: unknown;
  /** The class that it derives from, of Gluon's layouts. */
  readonly base?: PyClass;
}
export interface PyInstance {
  readonly kind: "instance";
  readonly cls: PyClass;
  readonly attrs: Map<string, PyValue>;
  /** An aggregate that keeps its values, as it is constructed. */
  isFixed?: boolean;
}
/** `tl.range(...)` and `tl.static_range(...)`, or Python's `range(...)` where it drives a loop. */
export interface LoopRange {
  readonly kind: "range";
  readonly flavour: "range" | "static_range";
  readonly start: PyValue;
  readonly end: PyValue;
  readonly step: PyValue;
  readonly numStages: PyValue;
  readonly loopUnrollFactor: PyValue;
  readonly disallowAccMultiBuffer: PyValue;
  readonly flatten: PyValue;
  readonly warpSpecialize: PyValue;
  readonly disableLicm: PyValue;
}
/** `tl.condition(...)` of a while loop. */
export interface LoopCondition {
  readonly kind: "condition";
  readonly condition: PyValue;
  readonly disableLicm: PyValue;
}
/** A member of one of Triton's enums, `tl.PropagateNan.ALL`. */
export interface EnumMember {
  readonly kind: "enum";
  readonly type: string;
  readonly name: string;
  readonly value: bigint;
  /** A member of an `IntEnum`, which equals its value. */
  readonly isInt?: boolean;
}
/** A value of host code that is not understood: an error only where a kernel uses it. */
export interface Opaque {
  readonly kind: "opaque";
  /** The value as its source names it: `torch.float16`. */
  readonly what: string;
  readonly why: string;
  readonly loc?: LocationRef | undefined;
  /** The class of an argument that a kernel is launched with: it is not None. */
  readonly argument?: "int" | "float" | "Tensor" | "object";
  /** Set where a condition that is not known chooses between definitions. */
  readonly undecided?: Undecided | undefined;
  /** Where it was looked for. */
  readonly notes?: readonly OpaqueNote[] | undefined;
}
/** A line of an error below its message; places count from 1 and 0 as `ast` does. */
export interface OpaqueNote {
  readonly message: string;
  readonly file?: string | undefined;
  readonly at?: { readonly line: number; readonly col: number } | undefined;
}
/** A choice that only a value which is not known would make. */
export interface Undecided {
  /** The setting for `--define` that would decide it: `FLAG=False`. */
  readonly define: string | undefined;
  readonly definitions: readonly Definition[];
}
export interface Definition {
  readonly value: PyValue;
  /** When it is the one: `where 'FLAG' is true`. */
  readonly when: string;
  readonly file: string;
  readonly at: { readonly line: number; readonly col: number } | undefined;
}

export const tensor = (handle: Value, type: TensorType): Tensor => ({ kind: "tensor", handle, type });
/** Wraps a value, unless it is wrapped already. */
export const constexpr = (value: PyValue): Constexpr => (isConstexpr(value) ? value : { kind: "constexpr", value });
export const tuple = (values: readonly PyValue[], fields?: readonly string[], cls?: PyClass): PyTuple => ({
  kind: "tuple",
  values,
  fields,
  cls,
});
/** A tuple made by Python code outside of kernels. */
export const pythonTuple = (values: readonly PyValue[], fields?: readonly string[], cls?: PyClass): PyTuple => ({
  ...tuple(values, fields, cls),
  isPython: true,
});
export const EMPTY_TUPLE: PyTuple = tuple([]);

/** Whether a value is of that kind of object. */
export function isKind<K extends PyObject["kind"]>(value: PyValue | undefined, kind: K): value is Extract<PyObject, { readonly kind: K }> {
  return typeof value === "object" && value !== null && value.kind === kind;
}
export const isTensor = (value: PyValue | undefined): value is Tensor => isKind(value, "tensor");
export const isConstexpr = (value: PyValue | undefined): value is Constexpr => isKind(value, "constexpr");
export const isTuple = (value: PyValue | undefined): value is PyTuple => isKind(value, "tuple");
export const isBuffer = (value: PyValue | undefined): value is Buffer => isKind(value, "buffer");
/** The same for equal layouts: a kernel's lists may be tuples, or hold constexprs. */
export const layoutKey = ({ text }: Layout): string =>
  text
    .replaceAll("constexpr", "")
    .replaceAll(/[()[\],]+/g, " ")
    .replaceAll(/ +/g, " ");
export const isLayout = (value: PyValue | undefined): value is Layout => isKind(value, "layout");
export const isDescriptor = (value: PyValue | undefined): value is Descriptor => isKind(value, "descriptor");
/** A scalar type, pointer or block type: what `dtype=` arguments take. */
export const isTensorType = (value: PyValue | undefined): value is TensorType =>
  typeof value === "object" && value !== null && (value.kind === "dtype" || value.kind === "pointer" || value.kind === "block");
/** int, bool or float: Python's `numbers.Number`. */
export const isNumber = (value: PyValue | undefined): value is boolean | bigint | number =>
  typeof value === "bigint" || typeof value === "number" || typeof value === "boolean";
/** Whether a value exists in the IR, rather than at compile time. */
export const isIrValue = (value: PyValue | undefined): boolean =>
  hasHandle(value) || (isTuple(value) && value.values.some(isIrValue)) || isKind(value, "instance");
/** Whether a value is one of the IR, perhaps with others. */
export const hasHandle = (value: PyValue | undefined): value is Tensor | Descriptor | Buffer | Accumulator | ClcResult =>
  isTensor(value) || isDescriptor(value) || isBuffer(value) || isKind(value, "accumulator") || isKind(value, "clc_result");

/** The value itself where it is a constexpr; goes into tuples and lists. */
export function unwrap(value: PyValue): PyValue {
  if (value === null || typeof value !== "object") return value;
  if (value.kind === "constexpr") return value.value;
  if (value.kind === "tuple" && value.values.some((v) => v !== unwrap(v))) return { ...value, values: value.values.map(unwrap) };
  if (value.kind === "list") return { kind: "list", values: value.values.map(unwrap) };
  return value;
}

/** The elements of a tuple or list, or undefined for what cannot be iterated. */
export function elementsOf(value: PyValue | undefined): readonly PyValue[] | undefined {
  const plain = isConstexpr(value) ? value.value : value;
  return isTuple(plain) || isKind(plain, "list") ? plain.values : undefined;
}

/** The scalar type of a tensor, as `x.dtype`. */
export const dtypeOf = (value: Tensor): ReturnType<typeof scalarOf> => scalarOf(value.type);
/** The extents of a tensor; none for a scalar. */
export const extentsOf = (value: Tensor): readonly number[] => shapeOf(value.type);
export const isBlockTensor = (value: Tensor): value is Tensor & { readonly type: BlockType } => isBlock(value.type);

/** The type of a value as the language sees it: `value.type`. */
export function typeOf(value: PyValue): TlType {
  if (hasHandle(value)) return value.type;
  if (isTuple(value)) return tupleTypeOf(value);
  if (isKind(value, "instance")) return aggregateTypeOf(value);
  if (isConstexpr(value)) return { kind: "constexpr_type", value: value.value };
  return { kind: "constexpr_type", value };
}
function tupleTypeOf({ values, fields }: PyTuple): TupleType {
  return { kind: "tuple_type", types: values.map(typeOf), fields: fields ?? values.map(() => "") };
}
function aggregateTypeOf({ cls, attrs }: PyInstance): AggregateType {
  return { kind: "aggregate_type", cls, fields: cls.fields.map(([name]) => [name, typeOf(attrs.get(name) ?? null)] as const) };
}

/** The IR values of a value, appended to `out`. */
export function flattenValue(value: PyValue, out: Value[] = []): Value[] {
  if (hasHandle(value) && !isDescriptor(value)) out.push(value.handle);
  else if (isTuple(value)) for (const v of value.values) flattenValue(v, out);
  else if (isDescriptor(value)) {
    out.push(value.handle);
    if (value.shape) flattenValue(value.shape, out);
    if (value.strides) flattenValue(value.strides, out);
  } else if (isKind(value, "instance")) for (const [name] of value.cls.fields) flattenValue(value.attrs.get(name) ?? null, out);
  return out;
}

/** Takes IR values off the front of `handles` and makes values of these types of them. */
export function unflattenValues(handles: readonly Value[], types: readonly TlType[]): PyValue[] {
  const cursor = { at: 0 };
  return types.map((type) => unflatten(handles, cursor, type));
}
function unflatten(handles: readonly Value[], cursor: { at: number }, type: TlType): PyValue {
  switch (type.kind) {
    case "dtype":
    case "pointer":
    case "block":
      return tensor(handles[cursor.at++]!, type);
    case "constexpr_type":
      return constexpr(type.value);
    case "tuple_type": {
      const values = type.types.map((t) => unflatten(handles, cursor, t));
      return tuple(values, type.fields.some((f) => f !== "") ? type.fields : undefined);
    }
    case "descriptor_type": {
      const handle = handles[cursor.at++]!;
      const shape = type.shapeType && (unflatten(handles, cursor, type.shapeType) as PyTuple);
      const strides = type.stridesType && (unflatten(handles, cursor, type.stridesType) as PyTuple);
      return { kind: "descriptor", handle, type, shape, strides };
    }
    case "buffer_type":
      return { kind: "buffer", handle: handles[cursor.at++]!, type };
    case "accumulator_type":
      return { kind: "accumulator", handle: handles[cursor.at++]!, type };
    case "clc_result_type":
      return { kind: "clc_result", handle: handles[cursor.at++]!, type };
    case "aggregate_type": {
      const attrs = new Map(type.fields.map(([name, t]) => [name, unflatten(handles, cursor, t)] as const));
      return { kind: "instance", cls: type.cls, attrs };
    }
    case "slice_type":
      return { kind: "slice", start: null, stop: null, step: null };
  }
}

/** Members of `tl.PropagateNan`. */
export const PROPAGATE_NAN_NONE: EnumMember = { kind: "enum", type: "PROPAGATE_NAN", name: "NONE", value: 0n };
export const PROPAGATE_NAN_ALL: EnumMember = { kind: "enum", type: "PROPAGATE_NAN", name: "ALL", value: 0xffffn };
