/** The enums of the gpu dialect. Source: mlir/include/mlir/Dialect/GPU/IR/GPUOps.td. */
import { type AttrDef, type Attribute, defineAttr } from "../../ir/attribute.js";
import type { AttrConstraint } from "../../ir/constraints.js";

export interface EnumParams {
  readonly value: string;
}

/** An enum attribute, written as a bare keyword after its mnemonic: `#gpu<dim x>`, and `x` in the ops' own syntax. */
function enumAttr(name: string, cxxName: string, cases: readonly string[]): AttrDef<EnumParams> {
  return defineAttr<EnumParams>(name, {
    parse(p) {
      const at = p.pos;
      const value = p.optAnyKeyword();
      if (value !== undefined && cases.includes(value)) return { value };
      return p.fail(`expected ${cxxName} to be one of: ${cases.join(", ")}`, at, "parse.enum");
    },
    print: ({ value }) => ` ${value}`,
  });
}
/** The constraint of an op on such an attribute; views read its keyword. */
function enumConstraint(def: AttrDef<EnumParams>, description: string): AttrConstraint<string> {
  return {
    description,
    test: (a) => def.is(a),
    read: (a) => (a as Attribute<EnumParams>).params.value,
    write: (ctx, value) => def.get(ctx, { value }),
    stripped: def.name,
  };
}

export const DimensionAttr = enumAttr("gpu.dim", "::mlir::gpu::Dimension", ["x", "y", "z"]);
export const ShuffleModeAttr = enumAttr("gpu.shuffle_mode", "::mlir::gpu::ShuffleMode", ["xor", "up", "down", "idx"]);

export const Dimension = enumConstraint(DimensionAttr, "a dimension, either 'x', 'y', or 'z'");
export const ShuffleMode = enumConstraint(ShuffleModeAttr, "Indexing modes supported by gpu.shuffle.");
