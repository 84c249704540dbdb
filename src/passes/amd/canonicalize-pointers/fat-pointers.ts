/**
 * Pointers as a scalar base and an offset, and what is known of each pair.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/CanonicalizePointers.cpp, FatPointers, createTensorPointer.
 */
import { AddPtrOp } from "../../../dialects/tt/ops/pointer.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import type { Attribute } from "../../../ir/attribute.js";
import { dictEntries } from "../../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, i32, RankedTensorType, withElementType } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { truncateOffset } from "./offsets.js";

export interface FatPointerFacts {
  /** Attributes that the pointer made of the pair gets. */
  readonly attributes: ReadonlyMap<string, Attribute>;
  /** The argument that points to a tensor of at most 2 GiB, if the pointer comes from one. */
  readonly smallTensorBase: Value | undefined;
  /** Whether 32 bits are enough for the offset. */
  readonly canNarrow: boolean;
}

export class FatPointers {
  readonly #facts = new Map<Value, Map<Value, FatPointerFacts>>();

  get(base: Value, offset: Value): FatPointerFacts | undefined {
    return this.#facts.get(base)?.get(offset);
  }
  /** Without `facts.attributes` the pair has those that its base brings. */
  set(base: Value, offset: Value, facts: Omit<FatPointerFacts, "attributes"> & Partial<FatPointerFacts>): void {
    let ofBase = this.#facts.get(base);
    if (!ofBase) this.#facts.set(base, (ofBase = new Map()));
    // As upstream, hints about an argument are asked for, and said of the offset too, even where others take their place.
    const own = ofBase.has(offset) ? undefined : attributesOf(base, offset);
    ofBase.set(offset, { ...facts, attributes: facts.attributes ?? own ?? new Map() });
  }
}

/** The attributes that a base brings: those of its op, or of its block's op where they end in the argument's number. */
function attributesOf(base: Value, offset: Value): ReadonlyMap<string, Attribute> {
  const { definingOp } = base;
  if (definingOp) return new Map(dictEntries(definingOp.attrs));
  const owner = base.argOwner!.parentOp!;
  const suffix = `_arg${base.index}`;
  const found = new Map<string, Attribute>();
  for (const [name, value] of dictEntries(owner.attrs)) {
    if (!name.endsWith(suffix)) continue;
    const own = name.slice(0, -suffix.length);
    found.set(own, value);
    if (offset.argOwner) owner.setAttr(`${own}_arg${offset.index}`, value);
  }
  return found;
}

/** The sum of a base and an offset: a pointer, or a tensor of pointers. */
export function materializePointer(rw: Rewriter, loc: LocationRef, base: Value, offset: Value, facts: FatPointerFacts): Value {
  const extraAttrs = [...facts.attributes];
  if (!RankedTensorType.is(offset.type)) return rw.value(AddPtrOp, { ptr: base, offset }, { loc, types: [base.type], extraAttrs });
  const type = withElementType(offset.type, base.type);
  const narrow = facts.canNarrow && bitWidth(elementTypeOrSelf(offset.type))! > 32;
  const by = narrow ? truncateOffset(rw, loc, offset, i32(rw.ctx)) : offset;
  const ptr = rw.value(SplatOp, { src: base }, { loc, types: [type] });
  return rw.value(AddPtrOp, { ptr, offset: by }, { loc, types: [type], extraAttrs });
}
