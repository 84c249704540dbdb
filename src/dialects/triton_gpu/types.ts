/** The types of the `triton_gpu` era. Source: TritonGPUTypes.td of Triton 3.0 to 3.2; TritonTypes.td (`!tt.memdesc`). */
import { type Attribute, defineType, type Type } from "../../ir/attribute.js";
import { RankedTensorType } from "../../ir/builtin-types.js";
import { anyOf, typeConstraint } from "../../ir/constraints.js";

/** `!triton_gpu.async.token` */
export const AsyncTokenType = defineType<Record<string, never>>("triton_gpu.async.token", { summary: "async token type" });
export const AsyncToken = typeConstraint(
  "async token type",
  (t) => AsyncTokenType.is(t),
  (ctx) => AsyncTokenType.get(ctx, {}),
);

export interface OldMemDescParams {
  readonly shape: readonly number[];
  readonly elementType: Type;
  readonly encoding: Attribute;
  /** Since 3.2. */
  readonly memorySpace: Attribute | undefined;
  readonly mutableMemory: boolean;
}

/** `!tt.memdesc<64x64xf16, #shared, mutable>`; 3.2 has the memory space before `mutable`. */
export const OldMemDescType = defineType<OldMemDescParams>("tt.memdesc", {
  summary: "memory descriptor type",
  shaped: true,
  parse(p) {
    p.punct("<");
    const shape = p.dimensionList({ allowDynamic: false });
    const elementType = p.type();
    p.punct(",");
    const encoding = p.attribute();
    let memorySpace: Attribute | undefined;
    let mutableMemory = false;
    while (p.optPunct(",")) {
      if (p.optKeyword("mutable")) mutableMemory = true;
      else memorySpace = p.attribute();
    }
    p.punct(">");
    return { shape, elementType, encoding, memorySpace, mutableMemory };
  },
  print({ shape, elementType, encoding, memorySpace, mutableMemory }, p) {
    const space = memorySpace ? `, ${p.attr(memorySpace)}` : "";
    return `<${shape.map((extent) => `${extent}x`).join("")}${p.type(elementType)}, ${p.attr(encoding)}${space}${mutableMemory ? ", mutable" : ""}>`;
  },
});
export const OldMemDesc = { ...typeConstraint("memory descriptor type", (t) => OldMemDescType.is(t)), stripped: OldMemDescType.name };
export const TensorOrOldMemDesc = anyOf(
  "ranked tensor or memory descriptor",
  { description: "ranked tensor", test: (t) => RankedTensorType.is(t) },
  OldMemDesc,
);
