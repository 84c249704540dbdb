/** The bytes that a global begins with. */
import type { Attribute } from "../../ir/attribute.js";
import { ArrayAttr, DenseElementsAttr, FloatAttr, IntegerAttr, StringAttr } from "../../ir/builtin-attrs.js";

/** The initial value of a global of `size` bytes, least significant byte first; undefined where there is none. */
export function initialBytes(value: Attribute | undefined, size: number): readonly number[] | undefined {
  if (StringAttr.is(value)) return [...value.params.value].map((c) => c.charCodeAt(0) & 255);
  const elements = bitsOf(value);
  if (!elements) return undefined;
  const count = DenseElementsAttr.is(value) && value.params.splat ? size : elements.length;
  const width = size / count;
  const all = elements.length === count ? elements : new Array<bigint>(count).fill(elements[0]!);
  return all.flatMap((bits) => Array.from({ length: width }, (_, i) => Number((BigInt.asUintN(8 * width, bits) >> BigInt(8 * i)) & 255n)));
}
function bitsOf(value: Attribute | undefined): readonly bigint[] | undefined {
  if (DenseElementsAttr.is(value)) return value.params.elements;
  if (!ArrayAttr.is(value)) return undefined;
  return value.params.elements.map((element) => (FloatAttr.is(element) ? element.params.bits : IntegerAttr.params(element).value));
}
