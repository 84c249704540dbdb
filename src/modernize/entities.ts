/** Attributes and types of older Tritons as 3.6 has them, all through. Those that did not change are returned as they are. */

import { LLVMPointerType } from "../dialects/llvm/types/types.js";
import { AsyncTokenType as OldAsyncTokenType, OldMemDescType } from "../dialects/triton_gpu/types.js";
import { encodingAttr } from "../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../dialects/ttg/encodings/shared-memory.js";
import { encodingFor } from "../dialects/ttg/legacy-encodings/index.js";
import { AsyncTokenType, memDescType } from "../dialects/ttg/types.js";
import { Attribute, Type } from "../ir/attribute.js";
import { bitWidth, elementTypeOrSelf, RankedTensorType } from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";

/** `triton_gpu.num-warps` is `ttg.num-warps` now. */
export const modernName = (name: string): string => (name.startsWith("triton_gpu.") ? `ttg.${name.slice(11)}` : name);

export class Modernizer {
  readonly #attrs = new Map<Attribute, Attribute>();
  readonly #types = new Map<Type, Type>();
  constructor(readonly ctx: Context) {}

  type(type: Type): Type {
    let known = this.#types.get(type);
    if (!known) this.#types.set(type, (known = this.modernType(type)));
    return known;
  }
  attr(attr: Attribute): Attribute {
    let known = this.#attrs.get(attr);
    if (!known) this.#attrs.set(attr, (known = this.modernAttr(attr, undefined)));
    return known;
  }

  private modernType(type: Type): Type {
    if (RankedTensorType.is(type)) {
      const { encoding, elementType, ...rest } = type.params;
      const element = this.type(elementType);
      const modern = encoding && this.modernAttr(encoding, bitWidth(elementTypeOrSelf(elementType)));
      return RankedTensorType.get(this.ctx, { ...rest, elementType: element, encoding: modern });
    }
    if (OldMemDescType.is(type)) {
      const { shape, elementType, encoding, mutableMemory } = type.params;
      const space = SharedMemorySpace.get(this.ctx, {});
      return memDescType(shape, this.type(elementType), this.modernAttr(encoding, bitWidth(elementType)), space, mutableMemory);
    }
    if (OldAsyncTokenType.is(type)) return AsyncTokenType.get(this.ctx, {});
    if (LLVMPointerType.is(type)) return LLVMPointerType.get(this.ctx, { addressSpace: type.params.addressSpace });
    const params = this.params(type.params);
    return params === type.params ? type : type.def.get(this.ctx, params);
  }

  private modernAttr(attr: Attribute, elementBits: number | undefined): Attribute {
    const older = attr.def.name.startsWith("triton_gpu.");
    const encoding = older ? encodingFor(attr, elementBits) : undefined;
    if (encoding) return encodingAttr(this.ctx, encoding);
    const params = this.params(attr.params);
    return params === attr.params ? attr : attr.def.get(this.ctx, params);
  }

  /** Parameters with the attributes and types in them modernised; the same object when none changes. */
  private params<P extends object>(params: P): P {
    let changed = false;
    const copy: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(params)) {
      copy[name] = this.value(value);
      changed ||= copy[name] !== value;
    }
    return changed ? (copy as P) : params;
  }
  private value(value: unknown): unknown {
    if (value instanceof Type) return this.type(value);
    if (value instanceof Attribute) return this.attr(value);
    if (!Array.isArray(value) || !value.some((item) => typeof item === "object")) return value;
    const items = value.map((item) => this.value(item));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
}
