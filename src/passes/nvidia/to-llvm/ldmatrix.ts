/**
 * Fragments of 8x8 matrices by ldmatrix and stmatrix: eight rows of 16 bytes each are named by the addresses of eight lanes, and
 * each lane gets four bytes of every matrix. A layout that has the instruction's tile on its left takes them; with `trans` the
 * tile is transposed.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/Utility.cpp, lowerLdStMatrix.
 */

import { ptrType, structType } from "../../../dialects/llvm/types/types.js";
import { LdStMatrixEltTypeAttr, LdStMatrixShapeAttr, MMALayoutAttr } from "../../../dialects/nvvm/attrs.js";
import { LdMatrixOp, StMatrixOp } from "../../../dialects/nvvm/ops/matrix.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import type { Type } from "../../../ir/attribute.js";
import { i8, i32 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { actionAdditiveStrides, ColumnAction, regPermForDivide } from "../../../layout/column-action.js";
import { divideLeft } from "../../../layout/divide.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import type { Lowering } from "../../ttg-to-llvm/lowering.js";
import { firstByte } from "../../ttg-to-llvm/shared-access.js";
import type { SharedPlace } from "../../ttg-to-llvm/target-code.js";
import { laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";

const identity = LinearLayout.identity1D;

/** How a layout's registers are moved by the instruction. */
interface MatrixPlan {
  readonly transpose: boolean;
  /** register, lane, warp -> offset of what lies outside of the tile. */
  readonly reps: LinearLayout;
  /** lane, warp -> offset of the rows whose addresses they give. */
  readonly addresses: LinearLayout;
  /** The order in which registers are moved. */
  readonly order: ColumnAction;
  /** Registers that one address reaches by adding constants. */
  readonly additive: number;
  /** Matrices per instruction. */
  readonly count: number;
  readonly registersPerInstruction: number;
  readonly shape: readonly [m: number, n: number];
  readonly eltType: "b16" | "b8";
}

/** Stores `values`, or loads them when there are none; undefined, with nothing emitted, where the instruction does not fit. */
export function lowerLdStMatrix(
  gpu: GpuTarget,
  lo: Lowering,
  place: Omit<SharedPlace, "affineOffset"> & { readonly affineOffset: () => Value },
  values: readonly Value[],
  transposes: readonly boolean[],
): readonly Value[] | undefined {
  const isStore = values.length > 0;
  for (const transpose of transposes) {
    const plan = planLdStMatrix(gpu, place.layout, scalarBits(place.element), place.maskSpan, transpose, isStore);
    if (plan) return emit(lo, plan, { ...place, affineOffset: place.affineOffset() }, values);
  }
  return undefined;
}

function planLdStMatrix(
  gpu: GpuTarget,
  layout: LinearLayout,
  bits: number,
  maskSpan: number,
  transpose: boolean,
  isStore: boolean,
): MatrixPlan | undefined {
  if (!(isStore ? gpu.stMatrix : gpu.ldMatrix)) return undefined;
  if (transpose ? !(bits === 16 || (bits === 8 && gpu.transposesBytes)) : bits > 32) return undefined;
  if (layout.hasInDim("block")) return undefined;

  let cvt = layout;
  let order = ColumnAction.identity("register", cvt.getInDimSizeLog2("register"));
  let permLanes: ColumnAction | undefined;
  let permRegs: ColumnAction | undefined;
  let tile: LinearLayout;
  let fullTile: LinearLayout;
  if (!transpose) {
    tile = identity(32 / bits, "register", "offset").multiply(identity(4, "lane", "offset"));
    fullTile = tile.multiply(identity(8, "lane", "addr"));
  } else {
    const contiguous = (isStore && bits === 8 ? 16 : 32) / bits;
    fullTile = identity(contiguous, "register", "addr")
      .multiply(identity(4, "lane", "addr"))
      .multiply(identity(8, "lane", "offset"))
      .multiply(identity(16 / bits, "register", "offset"));
    if (cvt.getInDimSize("register") < fullTile.getInDimSize("register")) return undefined;
    // The register and lane bits that make up the offset come first.
    const inverse = fullTile.invert();
    const first = { register: [] as number[], lane: [] as number[] };
    for (const basis of inverse.getInDimBases("offset")) {
      const register = basis[inverse.getOutDimIndex("register")]!;
      if (register !== 0) first.register.push(Math.log2(register));
      else first.lane.push(Math.log2(basis[inverse.getOutDimIndex("lane")]!));
    }
    const toFront = (dim: "register" | "lane"): ColumnAction => {
      const size = cvt.getInDimSizeLog2(dim);
      const rest = Array.from({ length: size }, (_, i) => i).filter((i) => !first[dim].includes(i));
      return new ColumnAction([...first[dim], ...rest], dim, size);
    };
    permRegs = toFront("register");
    permLanes = toFront("lane");
    cvt = permLanes.apply(permRegs.apply(cvt));
    order = order.leftCompose(permRegs);
    tile = identity(8, "lane", "offset")
      .multiply(identity(16 / bits, "register", "offset"))
      .transposeIns(["register", "lane"]);
  }

  const divide = regPermForDivide(cvt, tile, true);
  if (!divide) return undefined;
  cvt = divide.apply(cvt);
  order = order.leftCompose(divide);
  const quotient = divideLeft(cvt, tile);
  if (!quotient) return undefined;
  let reps = tile.zerosLike().multiply(quotient);
  if (permRegs && permLanes) {
    reps = permRegs.inverse().apply(permLanes.inverse().apply(reps));
    order = order.leftCompose(permRegs.inverse());
  }
  // The offset of a view must not touch what lies together. (Upstream's mask is this one.)
  if ((maskSpan & (tile.getOutDimSizeLog2("offset") - 1)) !== 0) return undefined;

  const registersPerTile = fullTile.getInDimSize("register");
  const count = Math.min(128 / bits, reps.getInDimSize("register")) / registersPerTile;
  const several = fullTile.multiply(identity(count, "register", "addr")).multiply(identity(1, "warp", "addr"));
  const addrToOffset = several.invert().compose(reps);
  const addresses = LinearLayout.fromBases(
    [
      ["lane", addrToOffset.getInDimBases("addr")],
      ["warp", reps.getInDimBases("warp")],
    ],
    [["offset", reps.getOutDimSize("offset")]],
    false,
  );
  const [additive, strides] = actionAdditiveStrides(reps, addresses, maskSpan);
  const eltType = transpose && bits === 8 ? "b8" : "b16";
  const rows = fullTile.getOutDimSize("addr");
  const columns = (fullTile.getOutDimSize("offset") * bits) / (eltType === "b8" ? 8 : 16);
  return {
    transpose,
    reps: strides.apply(reps),
    addresses,
    order: order.leftCompose(strides),
    additive,
    count,
    registersPerInstruction: several.getInDimSize("register"),
    shape: transpose ? [columns, rows] : [rows, columns],
    eltType,
  };
}

function emit(lo: Lowering, plan: MatrixPlan, place: SharedPlace, values: readonly Value[]): readonly Value[] {
  const { b, ctx } = lo;
  const { element, base } = place;
  const isStore = values.length > 0;
  const bits = scalarBits(element);
  const bytes = bits / 8;
  const start = firstByte(lo, plan.addresses, place, laneAndWarpId(lo));
  const attrs = {
    layout: MMALayoutAttr.get(ctx, { value: plan.transpose ? "col" : "row" }),
    shape: LdStMatrixShapeAttr.get(ctx, { m: BigInt(plan.shape[0]), n: BigInt(plan.shape[1]) }),
    eltType: LdStMatrixEltTypeAttr.get(ctx, { value: plan.eltType }),
  };
  const perWord = 32 / bits;
  const vector = vecType(element, perWord);
  const offsetOf = (register: number): number => plan.reps.applyPacked({ register, lane: 0, warp: 0 }) * bytes;
  const ordered = isStore ? plan.order.applyToValues(values) : values;
  const loaded: Value[] = [];
  for (let i = 0; i < plan.reps.getInDimSize("register"); i += plan.additive) {
    const offset = b.xor(start, b.i32(offsetOf(i)));
    for (let j = 0; j < plan.additive; j += plan.registersPerInstruction) {
      const inner = b.add(offset, b.i32(offsetOf(j)));
      const address = b.gep(ptrType(ctx, 3), i8(ctx), base, [inner], { inbounds: true });
      if (isStore) {
        const sources: Value[] = [];
        for (let k = 0; k < plan.registersPerInstruction; k += perWord)
          sources.push(b.bitcast(b.packVector(ordered.slice(i + j + k, i + j + k + perWord)), i32(ctx)));
        b.create(StMatrixOp, { ptr: address, sources, ...attrs });
        continue;
      }
      const words = plan.registersPerInstruction / perWord;
      const type: Type = words === 1 ? i32(ctx) : structType(ctx, new Array<Type>(words).fill(i32(ctx)));
      const result = b.value(LdMatrixOp, { ptr: address, num: plan.count, ...attrs }, type);
      for (let k = 0; k < words; k++) {
        const word = words === 1 ? result : b.extractValue(result, k);
        loaded.push(...b.unpackVector(b.bitcast(word, vector)));
      }
    }
  }
  return isStore ? [] : plan.order.inverse().applyToValues(loaded);
}
