/** The modules of `triton.experimental.gluon.language`. Source: python/triton/experimental/gluon/language. */
import type { TritonVersion } from "../../support/triton-version.js";
import { LIBDEVICE } from "../language/builtins/libdevice.js";
import { MATH } from "../language/builtins/math.js";
import type { BuiltinDef } from "../language/define-builtin.js";
import { bindArguments, REQUIRED } from "../language/define-builtin.js";
import { raise } from "../language/errors.js";
import { nativeMethod } from "../language/native-method.js";
import { CORE } from "../language/operators.js";
import { DTYPE_NAMES, LANGUAGE_TYPES } from "../language/python-types.js";
import { type BlockType, blockType, type Dtype } from "../language/types.js";
import { isTensorType, type PyClass, type PyModule, type PyValue, unwrap } from "../language/values.js";
import { amdModules } from "./builtins/amd.js";
import { AMPERE_MBARRIER, ASYNC_COPY, MMA_V2 } from "./builtins/ampere.js";
import { layoutArgument } from "./builtins/arguments.js";
import { BLACKWELL, BLACKWELL_TMA, CLC, GET_TMEM_REG_LAYOUT, PACKED_ARITH, PACKED_BY_FOUR } from "./builtins/blackwell.js";
import { GLUON_CORE } from "./builtins/core.js";
import { ASYNC_STORE, CLUSTER, FENCE_ASYNC_SHARED, HOPPER_MBARRIER, HOPPER_TMA, WGMMA } from "./builtins/hopper.js";
import { basesOf, DISTRIBUTED_LAYOUT, ints, numbers, SHARED_LAYOUT } from "./layouts/define-layout.js";
import * as distributed from "./layouts/distributed.js";
import * as shared from "./layouts/shared.js";
import { tensorMemoryLayouts } from "./layouts/tensor-memory.js";
import { dtypeArgument, intList, sharedLayout, sharedType } from "./semantic/buffers.js";

type Entry = readonly [string, PyValue];
const GLUON = "triton.experimental.gluon";

/** The functions of `triton.language.core` that Gluon has unchanged. */
const FORWARDED =
  "add associative_scan assume atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor broadcast cast clamp device_assert device_print expand_dims expect_zero inline_asm_elementwise join load map_elementwise max_constancy max_contiguous maximum minimum mul multiple_of num_programs permute program_id reduce reshape split static_assert static_print static_range store sub to_tensor where".split(
    " ",
  );
const FORWARDED_MATH = "umulhi exp exp2 fma log log2 cos rsqrt sin sqrt sqrt_rn abs fdiv div_rn erf floor ceil".split(" ");
const FORWARDED_TYPES = ["base_value", "base_type", "block_type", "constexpr", "dtype", "pointer_type", "tensor", "tuple", "tuple_type"];

const functions = (defs: Iterable<BuiltinDef>): Entry[] => [...defs].map((def) => [def.name, { kind: "builtin", def }]);
const classes = (list: readonly PyClass[]): Entry[] => list.map((cls) => [cls.name, cls]);
const moduleOf = (name: string, entries: Iterable<Entry>): PyModule => ({ kind: "module", name, attrs: new Map(entries) });

const LAYOUTS = classes([
  distributed.AUTO,
  distributed.COALESCED,
  distributed.BLOCKED,
  distributed.SLICE,
  distributed.DISTRIBUTED_LINEAR,
  distributed.DOT_OPERAND,
  distributed.NVMMA_DISTRIBUTED,
  shared.NVMMA_SHARED,
  shared.SWIZZLED_SHARED,
  shared.PADDED_SHARED,
  shared.SHARED_LINEAR,
]);

const tensorMemory = (triton: TritonVersion): Entry[] => classes(Object.values(tensorMemoryLayouts(triton)));
/** Every class of layouts by name. */
export const layoutClasses = (triton: TritonVersion): readonly Entry[] => [
  ...LAYOUTS,
  ...classes([shared.MBARRIER]),
  ...tensorMemory(triton),
];

/** A class for annotations and `isinstance`, or one that makes a type. */
function languageClass(name: string, params: readonly string[], make: (args: readonly PyValue[]) => PyValue): PyClass {
  const construct = (args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): PyValue => {
    const required: Readonly<Record<string, typeof REQUIRED>> = Object.fromEntries(params.map((param) => [param, REQUIRED] as const));
    return make(Object.values(bindArguments({ name, params: required, isClass: true }, args, named)) as PyValue[]);
  };
  return {
    kind: "class",
    name,
    module: `${GLUON}.language._core`,
    qualname: name,
    flavour: "type",
    attrs: new Map(),
    fields: [],
    data: { kind: "native", construct },
  };
}
const onlyMade = (name: string): PyClass => languageClass(name, [], () => raise("TypeError", `${name} is not made by user code`));

const DISTRIBUTED_TYPE = languageClass("distributed_type", ["element_ty", "shape", "layout"], ([element, shape, layout]): BlockType => {
  const type = unwrap(element!);
  if (!isTensorType(type) || type.kind === "block") return raise("AssertionError", "");
  return blockType(type as Dtype, ints(shape), layoutArgument(layout!));
});
const SHARED_TYPE = languageClass(
  "shared_memory_descriptor_type",
  ["element_ty", "shape", "layout", "alloc_shape"],
  ([element, shape, layout, alloc]) =>
    sharedType(
      dtypeArgument(element!, "element_ty"),
      intList(shape!, "shape"),
      sharedLayout(unwrap(layout!)),
      intList(alloc!, "alloc_shape"),
    ),
);

/** `warps_per_cta(layout, shape)` and `bases_per_dim`. Source: _layouts.py. */
function basesPerDim(bases: readonly (readonly number[])[], rank: number): number[] {
  const result = Array.from({ length: rank }, () => 1);
  for (const basis of bases) {
    const at = basis.findIndex((v) => v !== 0);
    if (at >= 0) result[at]! *= 2;
  }
  return result;
}
const warpsPerCta = nativeMethod("warps_per_cta", ([given = null, shape = null]) => {
  let layout = unwrap(given);
  while (layout !== null && typeof layout === "object" && layout.kind === "layout" && layout.fields.has("parent"))
    layout = layout.fields.get("parent")!;
  if (layout === null || typeof layout !== "object" || layout.kind !== "layout") return raise("AttributeError", "no layout");
  const warps = layout.fields.get("warp_bases");
  return warps === undefined ? (layout.fields.get("warps_per_cta") ?? null) : numbers(basesPerDim(basesOf(warps), ints(shape).length));
});

/** The modules by dotted name. */
export function gluonModules(triton: TritonVersion): readonly PyModule[] {
  const language = `${GLUON}.language`;
  const nvidia = `${language}.nvidia`;
  const core: readonly Entry[] = [
    ...FORWARDED.map((name): Entry => [name, { kind: "builtin", def: CORE.get(name)! }]),
    ...FORWARDED_TYPES.map((name): Entry => [name, LANGUAGE_TYPES.get(name)!]),
    ...DTYPE_NAMES,
    ...functions(GLUON_CORE),
    ...classes([DISTRIBUTED_TYPE, SHARED_TYPE, onlyMade("shared_memory_descriptor")]),
    ["_unwrap_if_constexpr", nativeMethod("_unwrap_if_constexpr", ([value = null]) => unwrap(value))],
    ["builtin", nativeMethod("builtin", ([fn = null]) => fn)],
  ];
  const math = moduleOf(`${language}._math`, functions(MATH.filter(({ name }) => FORWARDED_MATH.includes(name))));
  const tensorDescriptors = classes(["tensor_descriptor", "tensor_descriptor_type"].map(onlyMade));
  const im2colDescriptors = classes(["tensor_descriptor_im2col", "tensor_descriptor_im2col_type"].map(onlyMade));
  const asyncCopy = moduleOf(`${nvidia}.ampere.async_copy`, functions(ASYNC_COPY));
  const ampereBarrier = moduleOf(`${nvidia}.ampere.mbarrier`, [...functions(AMPERE_MBARRIER), ["MBarrierLayout", shared.MBARRIER]]);
  const mbarrier = moduleOf(`${nvidia}.hopper.mbarrier`, [...functions(HOPPER_MBARRIER), ["MBarrierLayout", shared.MBARRIER]]);
  const cluster = moduleOf(`${nvidia}.hopper.cluster`, functions(CLUSTER));
  const clc = moduleOf(`${nvidia}.blackwell.clc`, [...functions(CLC), ...classes([onlyMade("clc_result")])]);
  const hopperTma = moduleOf(`${nvidia}.hopper.tma`, [...functions(HOPPER_TMA), ...tensorDescriptors, ...im2colDescriptors]);
  const blackwellTma = moduleOf(`${nvidia}.blackwell.tma`, [...functions([...HOPPER_TMA, ...BLACKWELL_TMA]), ...tensorDescriptors]);
  const common: readonly Entry[] = [["async_copy", asyncCopy], ...functions([MMA_V2])];
  const ampere = moduleOf(`${nvidia}.ampere`, [...common, ["mbarrier", ampereBarrier]]);
  const hopper = moduleOf(`${nvidia}.hopper`, [
    ...common,
    ["mbarrier", mbarrier],
    ["tma", hopperTma],
    ["cluster", cluster],
    ...functions([ASYNC_STORE, FENCE_ASYNC_SHARED, ...WGMMA]),
    ...classes([onlyMade("warpgroup_mma_accumulator"), onlyMade("warpgroup_mma_accumulator_type")]),
  ]);
  const blackwell = moduleOf(`${nvidia}.blackwell`, [
    ...common,
    ["mbarrier", mbarrier],
    ["tma", blackwellTma],
    ["clc", clc],
    ...functions([ASYNC_STORE, FENCE_ASYNC_SHARED, ...BLACKWELL, ...PACKED_ARITH]),
    ["get_tmem_reg_layout", GET_TMEM_REG_LAYOUT],
    ...tensorMemory(triton),
    ...classes([onlyMade("tensor_memory_descriptor"), onlyMade("tensor_memory_descriptor_type")]),
  ]);
  // Rubin's own layout of scales, and arrivals of several CTAs at once, are not followed.
  const rubin = moduleOf(`${nvidia}.rubin`, [
    ...[...blackwell.attrs].filter(([name]) => name !== "get_tmem_reg_layout" && name !== "TensorMemoryScalesLayout"),
    ...functions(PACKED_BY_FOUR),
  ]);
  const nvidiaModule = moduleOf(nvidia, [
    ["ampere", ampere],
    ["hopper", hopper],
    ["blackwell", blackwell],
    ["rubin", rubin],
  ]);
  const libdevice = moduleOf("triton.language.extra.libdevice", functions(LIBDEVICE));
  const extra = moduleOf(`${language}.extra`, [["libdevice", libdevice]]);
  const [amd, ...belowAmd] = amdModules(language) as [PyModule, ...PyModule[]];
  return [
    moduleOf(language, [...core, ...math.attrs, ...LAYOUTS, ["nvidia", nvidiaModule], ["amd", amd], ["extra", extra]]),
    moduleOf(`${language}._core`, core),
    moduleOf(`${language}._layouts`, [...LAYOUTS, ...classes([DISTRIBUTED_LAYOUT, SHARED_LAYOUT]), ["warps_per_cta", warpsPerCta]]),
    ...[
      math,
      nvidiaModule,
      extra,
      ampere,
      hopper,
      blackwell,
      rubin,
      asyncCopy,
      ampereBarrier,
      mbarrier,
      cluster,
      clc,
      hopperTma,
      blackwellTma,
      amd,
      ...belowAmd,
    ],
  ];
}
