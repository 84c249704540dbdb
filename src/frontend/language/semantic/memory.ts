/** Loads and stores through pointers and block pointers. Source: python/triton/language/semantic.py. */

import { LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { byName } from "../../../support/by-name.js";
import { check, raise } from "../errors.js";
import { pyStr, pyTruth, pyTypeName, typeName, typeRepr } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import { type BlockType, type Dtype, INT1, INT8, isBlock, isInt, isPtr, type PointerType, pointerType, withElement } from "../types.js";
import { dtypeOf, elementsOf, extentsOf, isBlockTensor, isConstexpr, type PyValue, type Tensor, unwrap } from "../values.js";
import { cast } from "./cast.js";
import { emit, emitOp } from "./emit.js";
import { broadcastTensors, broadcastToShape, broadcastValues, listText, shapeText } from "./shape.js";

/** How memory is accessed, as the user writes it. */
export interface AccessOptions {
  readonly boundaryCheck: PyValue;
  readonly cacheModifier: PyValue;
  readonly evictionPolicy: PyValue;
}
export interface LoadOptions extends AccessOptions {
  readonly paddingOption: PyValue;
  readonly volatile: boolean;
}

function spelled(name: string, words: Readonly<Record<string, string>>, fallback: string): (given: PyValue) => string {
  const known = byName(words);
  return (given) => {
    if (!pyTruth(given)) return fallback;
    return (typeof given === "string" ? known[given] : undefined) ?? raise("ValueError", `${name} ${pyStr(given)} not supported`);
  };
}
export const loadCacheModifier = spelled("Cache modifier", { ".ca": "ca", ".cg": "cg", ".cv": "cv" }, "none");
const storeCacheModifier = spelled("Cache modifier", { ".wb": "wb", ".cg": "cg", ".cs": "cs", ".wt": "wt" }, "none");
export const evictionPolicy = spelled("Eviction policy", { evict_last: "evict_last", evict_first: "evict_first" }, "evict_normal");
const padding = spelled("Padding option", { zero: "zero", nan: "nan" }, "");
/** "zero", "nan" or undefined. */
export const paddingOption = (given: PyValue): string | undefined => padding(given) || undefined;

/** The block pointer's type when `type` is one. */
const blockPointer = (type: Tensor["type"]): (PointerType & { readonly element: BlockType }) | undefined =>
  isPtr(type) && isBlock(type.element) ? (type as PointerType & { readonly element: BlockType }) : undefined;

export function load(s: Semantic, ptr: Tensor, mask: Tensor | undefined, other: Tensor | undefined, options: LoadOptions): Tensor {
  const access = {
    cache: loadCacheModifier(options.cacheModifier),
    evict: evictionPolicy(options.evictionPolicy),
    isVolatile: options.volatile,
  };
  const pad = paddingOption(options.paddingOption);
  const block = blockPointer(ptr.type);
  if (!block) return loadThroughPointers(s, ptr, mask, other, pyTruth(options.boundaryCheck) || pad !== undefined, access);
  if (mask || other) raise("ValueError", "`mask` and `other` arguments cannot be specified for loading block pointers");
  const { element } = block.element;
  check(element !== INT1, "`tl.int1` should be rewritten in `tl.make_block_ptr`");
  if (isInt(element) && pad === "nan") raise("ValueError", "Padding option `nan` is not supported for integer block pointers");
  const boundaryCheck = canonicalBoundaryCheck(options.boundaryCheck, block.element.shape);
  return emit(s, LoadOp, { ptr: ptr.handle, boundaryCheck, padding: pad, ...access }, block.element);
}

function loadThroughPointers(
  s: Semantic,
  given: Tensor,
  givenMask: Tensor | undefined,
  givenOther: Tensor | undefined,
  forBlockPointersOnly: boolean,
  access: object,
): Tensor {
  let [ptr, mask, other] = [given, givenMask, givenOther];
  const pointer = dtypeOf(ptr);
  if (!isPtr(pointer)) return raise("ValueError", `Unsupported ptr type ${typeRepr(ptr.type)} in \`tl.load\``);
  if (!mask && other) raise("ValueError", "`other` cannot be provided without `mask`");
  if (forBlockPointersOnly)
    raise(
      "ValueError",
      "`padding_option` or `boundary_check` argument is not supported for loading a tensor ofpointers or loading a scalar. " +
        "Because the compiler does not know the boundary; please use block pointers (defined by `make_block_ptr`) instead",
    );
  if (isBlock(ptr.type)) {
    if (mask) [ptr, mask] = broadcastValues(s, ptr, mask);
    if (other) [ptr, other] = broadcastValues(s, ptr, other);
  } else {
    if (mask && isBlock(mask.type)) raise("ValueError", "Mask argument cannot be block type if pointer argument is not a block");
    if (other && isBlock(other.type)) raise("ValueError", "Other argument cannot be block type if pointer argument is not a block");
  }
  // Booleans are bytes in memory.
  let element = pointer.element as Dtype;
  const isBool = element === INT1;
  if (isBool) {
    element = INT8;
    ptr = cast(s, ptr, pointerType(element, pointer.addressSpace));
  }
  if (other) other = cast(s, other, element);
  const result = emit(s, LoadOp, { ptr: ptr.handle, mask: mask?.handle, other: other?.handle, ...access }, withElement(ptr.type, element));
  return isBool ? cast(s, result, INT1) : result;
}

/** Sorted dimensions of a `boundary_check` argument. */
function canonicalBoundaryCheck(given: PyValue, shape: readonly number[]): readonly number[] {
  if (!pyTruth(given)) return [];
  if (isConstexpr(given) && !elementsOf(given)) return raise("TypeError", `'${pyTypeName(given.value)}' object is not iterable`);
  const dims = (elementsOf(given) ?? [given]).map((dim) => {
    const value = unwrap(dim);
    check(
      typeof value === "bigint" && 0n <= value && value < BigInt(shape.length),
      `boundary_check must list dimensions from 0 to ${shape.length - 1}, but it has ${pyStr(value)}`,
    );
    return Number(value);
  });
  check(new Set(dims).size === dims.length, "Duplicate dimension in `boundary_check`");
  return dims.sort((a, b) => a - b);
}

export function store(s: Semantic, ptr: Tensor, value: Tensor, mask: Tensor | undefined, options: AccessOptions): void {
  const access = { cache: storeCacheModifier(options.cacheModifier), evict: evictionPolicy(options.evictionPolicy) };
  const pointer = dtypeOf(ptr);
  if (isPtr(pointer) && pointer.isConst) raise("ValueError", "Cannot store to a constant pointer");
  const block = blockPointer(ptr.type);
  if (!block) return storeThroughPointers(s, ptr, value, mask, pyTruth(options.boundaryCheck), access);
  if (mask) raise("ValueError", "`mask` and `other` arguments cannot be specified for loading block pointers");
  const { shape, element } = block.element;
  let val = isBlock(value.type) ? value : broadcastToShape(s, value, shape);
  const got = extentsOf(val);
  check(listText(got) === listText(shape), `Block shape(${shapeText(shape)}) and value shape(${shapeText(got)}) mismatch`);
  check(element === dtypeOf(val), `Block element type(${typeName(element)}) and value element type(${typeName(dtypeOf(val))}) mismatch`);
  check(element !== INT1, "`tl.int1` should be rewritten in `tl.make_block_ptr`");
  const boundaryCheck = canonicalBoundaryCheck(options.boundaryCheck, shape);
  val = cast(s, val, element);
  emitOp(s, StoreOp, { ptr: ptr.handle, value: val.handle, boundaryCheck, ...access });
}

function storeThroughPointers(
  s: Semantic,
  given: Tensor,
  value: Tensor,
  givenMask: Tensor | undefined,
  forBlockPointersOnly: boolean,
  access: object,
): void {
  let [ptr, val, mask] = [given, value, givenMask];
  const pointer = dtypeOf(ptr);
  if (!isPtr(pointer)) return raise("ValueError", `Unsupported ptr type ${typeRepr(ptr.type)} in \`tl.store\``);
  if (forBlockPointersOnly)
    raise(
      "ValueError",
      "`boundary_check` argument is not supported for storing a tensor of pointers or storing a scalar. Because the compiler " +
        "does not know the boundary; please use block pointers (defined by `make_block_ptr`) instead",
    );
  if (isBlockTensor(ptr)) {
    const shape = extentsOf(ptr);
    if (mask) [ptr, val, mask] = broadcastTensors(s, ptr, val, mask) as [Tensor, Tensor, Tensor];
    else [ptr, val] = broadcastTensors(s, ptr, val) as [Tensor, Tensor];
    const got = extentsOf(ptr);
    if (listText(got) !== listText(shape))
      raise("ValueError", `Expected pointer argument to have shape ${constexprShape(got)} but got ${constexprShape(shape)}`);
  } else {
    if (isBlock(val.type)) raise("ValueError", "Value argument cannot be block type if pointer argument is not a block");
    if (mask && isBlock(mask.type)) raise("ValueError", "Mask argument cannot be block type if pointer argument is not a block");
  }
  let element = pointer.element as Dtype;
  if (element === INT1) {
    if (s.rules.storesBooleans) val = cast(s, val, INT1);
    element = INT8;
    ptr = cast(s, ptr, pointerType(element, pointer.addressSpace));
  }
  val = cast(s, val, element);
  if (mask && dtypeOf(mask) !== INT1) raise("ValueError", "Mask must have boolean scalar type");
  emitOp(s, StoreOp, { ptr: ptr.handle, value: val.handle, mask: mask?.handle, ...access });
}
/** A tensor's shape as Python prints it. */
export const constexprShape = (shape: readonly number[]): string => `[${shape.map((n) => `'constexpr[${n}]'`).join(", ")}]`;
