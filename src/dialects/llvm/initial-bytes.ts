/** The bytes that a global begins with. */
import type { Attribute } from "../../ir/attribute.js";
import { ArrayAttr, DenseElementsAttr, FloatAttr, IntegerAttr, StringAttr, storageWidth } from "../../ir/builtin-attrs.js";
import { numElements, shapedParams } from "../../ir/builtin-types.js";

/** The initial value of a global of `size` bytes, least significant byte first; undefined where there is none. */
export function initialBytes(value: Attribute | undefined, size: number): readonly number[] | undefined {
  if (StringAttr.is(value)) return [...value.params.value].map((c) => c.charCodeAt(0) & 255);
  const elements = bitsOf(value);
  if (!elements) return undefined;
  const width = size / elements.length;
  return elements.flatMap((bits) => Array.from({ length: width }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n)));
}
function bitsOf(value: Attribute | undefined): readonly bigint[] | undefined {
  if (DenseElementsAttr.is(value)) {
    const { type, elements, splat } = value.params;
    return splat ? new Array<bigint>(numElements(shapedParams(type).shape)).fill(elements[0]!) : elements;
  }
  if (!ArrayAttr.is(value)) return undefined;
  return value.params.elements.map((element) => {
    if (FloatAttr.is(element)) return element.params.bits;
    const { value, type } = IntegerAttr.params(element);
    // True is -1 in attributes, 1 in memory.
    return BigInt.asUintN(storageWidth(type), value);
  });
}
