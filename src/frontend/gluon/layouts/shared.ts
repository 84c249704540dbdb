/** Layouts of buffers in shared memory. Source: python/triton/experimental/gluon/language/_layouts.py. */
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { bindArguments } from "../../language/define-builtin.js";
import { check, raise } from "../../language/errors.js";
import { nativeMethod } from "../../language/native-method.js";
import { pyRepr, pyStr, pyTruth } from "../../language/python-text.js";
import { isDtype } from "../../language/types.js";
import { isKind, type Layout, type PyClass, type PyValue, unwrap } from "../../language/values.js";
import {
  basesList,
  basesOf,
  cgaOf,
  checkRank,
  defineLayout,
  int,
  ints,
  isEmpty,
  itemsOf,
  joined,
  joinedBases,
  linear,
  list,
  REQUIRED,
  SHARED_LAYOUT,
} from "./define-layout.js";

const base = SHARED_LAYOUT;
const EMPTY = list([]);

type Named = ReadonlyMap<string, PyValue>;
/** A static method that a kernel may call: its arguments by name. */
const staticMethod = (name: string, params: readonly string[], run: (arg: (name: string) => PyValue | undefined) => PyValue) =>
  [
    name,
    nativeMethod(
      name,
      (args: readonly PyValue[], named: Named) =>
        run((param) => {
          const given = args[params.indexOf(param)] ?? named.get(param);
          return given === undefined ? undefined : unwrap(given);
        }),
      true,
    ),
  ] as const;

/** The part of a shape that one CTA has. Source: _layouts.py, _get_shape_per_cta. */
function shapePerCta(shape: readonly number[], bases: readonly (readonly number[])[]): number[] {
  if (bases.length === 0) return [...shape];
  return shape.map((extent, d) => {
    const ctas = 2 * Math.max(1, ...bases.map((basis) => basis[d]!));
    const text = (values: readonly number[]) => `[${values.join(", ")}]`;
    check(extent % ctas === 0, `Shape ${text(shape)} is not divisible by CGA layout [${bases.map(text).join(", ")}]`);
    return extent / ctas;
  });
}

/** The widest swizzling that the rows of a block allow. Source: _layouts.py, NVMMASharedLayout.get_default_for. */
const getDefaultFor = staticMethod("get_default_for", ["block_shape", "dtype", "transposed", "fp4_padded", "cga_layout"], (arg) => {
  const [transposed, fp4Padded] = [arg("transposed") ?? false, arg("fp4_padded") ?? false];
  const cga = arg("cga_layout") ?? null;
  const dtype = arg("dtype");
  if (!isKind(dtype, "dtype") || !isDtype(dtype)) return raise("AttributeError", "'dtype' must be a data type");
  const shape = ints(arg("block_shape"));
  let perCta = shapePerCta(shape, cga === null ? [] : basesOf(cga));
  if (pyTruth(transposed)) perCta = [...perCta.slice(1), ...perCta.slice(0, 1)];
  const bytes = Math.trunc((perCta.at(-1)! * (pyTruth(fp4Padded) ? 2 : 1) * dtype.bits) / 8);
  const rows = perCta.slice(0, -1).reduce((a, b) => a * b, 1);
  const width = shape.length < 2 || rows < 8 ? 0 : ([128, 64, 32].find((w) => bytes >= w && bytes % w === 0) ?? 0);
  return NVMMA_SHARED.make([BigInt(width), BigInt(dtype.bits), BigInt(shape.length), transposed, fp4Padded, cga]);
});

export const NVMMA_SHARED = defineLayout(
  "NVMMASharedLayout",
  { swizzle_byte_width: REQUIRED, element_bitwidth: REQUIRED, rank: 2n, transposed: false, fp4_padded: false, cga_layout: EMPTY },
  {
    base,
    check(f) {
      const cga = isEmpty(f.get("cga_layout")) ? EMPTY : f.get("cga_layout")!;
      if (!isEmpty(cga)) checkRank("cga_layout", cga, int(f.get("rank")));
      const [bits, width] = [int(f.get("element_bitwidth")), int(f.get("swizzle_byte_width"))];
      check([8, 16, 32, 64].includes(bits), `element_bitwidth must be 8, 16, 32 or 64, not ${bits}`);
      check([0, 32, 64, 128].includes(width), `swizzle_byte_width must be 0, 32, 64 or 128, not ${width}`);
      return { cga_layout: cga };
    },
    rank: (f) => int(f.get("rank")),
    mangle: (f) => {
      const parts = ["swizzle_byte_width", "element_bitwidth", "transposed", "fp4_padded"].map((name) => pyStr(f.get(name)!));
      return `NVMMA_${parts.join("_")}_${joinedBases(f.get("cga_layout"))}_NVMMA`;
    },
    encoding: (f) => ({
      kind: "nvmma_shared",
      swizzlingByteWidth: int(f.get("swizzle_byte_width")),
      transposed: pyTruth(f.get("transposed")!),
      elementBitWidth: int(f.get("element_bitwidth")),
      fp4Padded: pyTruth(f.get("fp4_padded")!),
      cga: cgaOf(f.get("cga_layout"), int(f.get("rank"))),
    }),
    methods: [getDefaultFor],
  },
);

export const SWIZZLED_SHARED = defineLayout(
  "SwizzledSharedLayout",
  { vec: REQUIRED, per_phase: REQUIRED, max_phase: REQUIRED, order: REQUIRED, cga_layout: EMPTY },
  {
    base,
    rank: (f) => itemsOf(f.get("order")).length,
    mangle: (f) => {
      const parts = ["vec", "per_phase", "max_phase"].map((name) => pyStr(f.get(name)!));
      return `SSS_${parts.join("_")}_${joined(f.get("order"))}_${joinedBases(f.get("cga_layout"))}_SSS`;
    },
    encoding: (f) => {
      const order = ints(f.get("order"));
      return {
        kind: "swizzled_shared",
        vec: int(f.get("vec")),
        perPhase: int(f.get("per_phase")),
        maxPhase: int(f.get("max_phase")),
        order,
        cga: cgaOf(f.get("cga_layout"), order.length),
      };
    },
  },
);

const isPowerOf2 = (n: number): boolean => n > 0 && Number.isInteger(Math.log2(n));

const withIdentityFor = staticMethod("with_identity_for", ["interval_padding_pairs", "shape", "order"], (arg) => {
  const [shape, order] = [ints(arg("shape")), ints(arg("order"))];
  check(shape.length === order.length, `shape has ${shape.length} dimensions, but order ${order.length}`);
  check(shape.every(isPowerOf2), `the extents of the shape must be powers of two, not ${shape.join(", ")}`);
  const bases = order.flatMap((dim) =>
    Array.from({ length: Math.log2(shape[dim]!) }, (_, bit) => shape.map((_, d) => (d === dim ? 2 ** bit : 0))),
  );
  return PADDED_SHARED.make([arg("interval_padding_pairs") ?? null, basesList(bases), EMPTY, arg("shape")!]);
});

export const PADDED_SHARED = defineLayout(
  "PaddedSharedLayout",
  { interval_padding_pairs: REQUIRED, offset_bases: REQUIRED, block_bases: REQUIRED, shape: REQUIRED },
  {
    base,
    check(f) {
      const rank = itemsOf(f.get("shape")).length;
      for (const name of ["offset_bases", "block_bases"]) checkRank(name, f.get(name), rank);
      const pairs = basesOf(f.get("interval_padding_pairs"));
      check(pairs.length > 0, "PaddedSharedLayout interval_padding_pairs must have at least one interval-padding pair");
      check(
        pairs.every((pair) => pair.length === 2),
        "interval_padding_pairs must be pairs of an interval and a padding",
      );
      check(new Set(pairs.map(([interval]) => interval)).size === pairs.length, "two interval_padding_pairs have the same interval");
      check(
        pairs.every(([interval]) => isPowerOf2(interval!)),
        "PaddedSharedLayout interval values must all be power of two",
      );
      check(
        pairs.every(([, padding]) => isPowerOf2(padding!)),
        "PaddedSharedLayout padding values must all be power of two",
      );
      check(rank > 0, "PaddedSharedLayout order must not be empty");
      return undefined;
    },
    rank: (f) => itemsOf(f.get("shape")).length,
    mangle: (f) => `PaddedShared_${[...f.values()].map((v) => pyRepr(v, true)).join("_")}_PaddedShared`,
    encoding: (f) => {
      const pairs = basesOf(f.get("interval_padding_pairs"));
      return {
        kind: "padded_shared",
        intervals: pairs.map(([interval]) => interval!),
        paddings: pairs.map(([, padding]) => padding!),
        linearComponent: sharedLinear(f.get("offset_bases"), f.get("block_bases"), itemsOf(f.get("shape")).length),
      };
    },
    methods: [withIdentityFor],
  },
);
const sharedLinear = (offset: PyValue | undefined, block: PyValue | undefined, rank: number) =>
  linear(
    [
      ["offset", basesOf(offset)],
      ["block", basesOf(block)],
    ],
    standardOutDimNames(rank),
  );

export const SHARED_LINEAR = defineLayout(
  "SharedLinearLayout",
  { offset_bases: REQUIRED, block_bases: EMPTY, alignment: 16n },
  {
    base,
    check(f) {
      const offsets = itemsOf(f.get("offset_bases"));
      check(offsets.length !== 0, "SharedLinearLayout offset_bases must not be empty");
      const rank = itemsOf(offsets[0]).length;
      check(rank > 0, "SharedLinearLayout offset_bases must not be empty");
      for (const name of ["offset_bases", "block_bases"]) checkRank(name, f.get(name), rank);
      check(isPowerOf2(int(f.get("alignment"))), "SharedLinearLayout alignment must be a positive power of two");
      return undefined;
    },
    rank: (f) => itemsOf(itemsOf(f.get("offset_bases"))[0]).length,
    mangle: (f) => `SharedLinear_${[...f.values()].map((v) => pyRepr(v, true)).join("_")}_SharedLinear`,
    encoding: (f) => ({
      kind: "shared_linear",
      layout: sharedLinear(f.get("offset_bases"), f.get("block_bases"), itemsOf(itemsOf(f.get("offset_bases"))[0]).length),
      alignment: int(f.get("alignment")),
    }),
  },
);

/** The layout of the mbarriers of a cluster: one for each CTA, or with `two_cta` for each two. */
const multicta = staticMethod("multicta", ["num_ctas", "two_cta"], (arg) => {
  const [ctas, pairs] = [int(arg("num_ctas")), pyTruth(arg("two_cta") ?? false)];
  if (pairs) check(ctas % 2 === 0, "num_ctas must be even for two-CTA mode");
  check(ctas > 0, "num_ctas must be positive");
  check(isPowerOf2(ctas), "num_ctas must be a power of two");
  const bits = Math.log2(pairs ? ctas / 2 : ctas);
  const bases = [...(pairs ? [[0]] : []), ...Array.from({ length: bits }, (_, bit) => [2 ** bit])];
  return mbarrierLayout(basesList(bases));
});
function mbarrierLayout(cga: PyValue): Layout {
  const layout = SWIZZLED_SHARED.make([1n, 1n, 1n, list([0n]), isEmpty(cga) ? EMPTY : cga]);
  return { ...layout, cls: MBARRIER, text: layout.text.replace("SwizzledSharedLayout", "MBarrierLayout") };
}

/** An mbarrier, or several. Source: nvidia/ampere/mbarrier.py. */
export const MBARRIER: PyClass = {
  ...SWIZZLED_SHARED,
  name: "MBarrierLayout",
  qualname: "MBarrierLayout",
  module: "triton.experimental.gluon.language.nvidia.ampere.mbarrier",
  base: SWIZZLED_SHARED,
  attrs: new Map([...SWIZZLED_SHARED.attrs, multicta]),
  data: {
    kind: "native",
    construct: (args: readonly PyValue[], named: Named): PyValue => {
      const cga = bindArguments({ name: "MBarrierLayout", params: { cga_layout: null }, isClass: true }, args, named)["cga_layout"];
      return mbarrierLayout(cga as PyValue);
    },
  },
};
