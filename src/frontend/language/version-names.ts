/**
 * Names of Triton's language that not all versions have: what each version adds and removes. Source: the names, parameters and
 * members of the public modules of the wheels 3.6.0, 3.7.1, 3.8.0 and 3.9.0, compared.
 */
import { TRITON_VERSIONS, type TritonVersion } from "../../support/triton-version.js";

interface NameChanges {
  readonly version: string;
  /** Names by module. */
  readonly added: Readonly<Record<string, string>>;
  /** Names by module that the version before has, each with what there is instead. */
  readonly removed?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `function(parameter)`, and `class.member`. */
  readonly parameters: string;
  readonly members: string;
  /** Those of them that are followed, where that is not all but `NOT_FOLLOWED`. */
  readonly followed?: readonly string[];
}

const LANGUAGE = "triton.language";
const GLUON = "triton.experimental.gluon.language";
const AMD = `${GLUON}.amd`;
const NVIDIA = `${GLUON}.nvidia`;
const TMA_ATOMICS = "async_atomic_add async_atomic_and async_atomic_max async_atomic_min async_atomic_or async_atomic_xor";
const TMA_LOADS = "async_load async_load_im2col async_store";
const CACHE_POLICIES = "CachePolicy FractionalEvictionPolicy";
const AMD_FP4 = "get_scaled_upcast_fp4_scale_layout load_shared_fp4_repacked scaled_downcast";

const CHANGES: readonly NameChanges[] = [
  {
    version: "3.7",
    added: {
      [LANGUAGE]: "squeeze to_tensor unsqueeze",
      [`${LANGUAGE}.standard`]: "squeeze unsqueeze",
      [`${LANGUAGE}.extra.hip.libdevice`]: "finitef isfinited rint",
      [GLUON]: "barrier",
      [AMD]: "warp_pipeline warp_pipeline_stage",
      [`${AMD}.gfx1250`]: "cluster",
      [`${AMD}.gfx1250.async_copy`]: "shared_to_global",
      [`${AMD}.gfx1250.tdm`]: "async_gather async_scatter prefetch",
      [`${NVIDIA}.ampere.mbarrier`]: "allocate_mbarrier",
      [`${NVIDIA}.hopper`]: "cluster",
      [`${NVIDIA}.hopper.mbarrier`]: "allocate_mbarrier fence_init_release_cluster sync_cluster_init",
      [`${NVIDIA}.blackwell`]: "tcgen05_mma_barrier_count",
    },
    removed: { [GLUON]: { thread_barrier: "barrier" } },
    parameters:
      "AMDWMMALayout(rank) AMDWMMALayout(reg_bases) AMDWMMALayout(warp_bases) PaddedSharedLayout(cga_layout) " +
      "async_copy_global_to_shared(multicast) async_store(mbarrier) cat(dim) expect(bytes_per_cta) tcgen05_commit(descs) " +
      "tcgen05_commit(pred) tcgen05_mma(multicast) with_identity_for(cga_layout)",
    members:
      "MBarrierLayout.multicta shared_memory_descriptor.gather shared_memory_descriptor.scatter tensor_descriptor.nbytes_per_cta " +
      "tensor_descriptor_type.nbytes_per_cta tensor_memory_descriptor.load_max tensor_memory_descriptor.load_min",
  },
  {
    version: "3.8",
    added: {
      triton: "aggregate",
      [LANGUAGE]: "aggregate_replace expect_zero",
      [`${LANGUAGE}.core`]: "aggregate_replace expect_zero",
      [`${LANGUAGE}.target_info`]: "is_hip_gfx1250",
      [`${LANGUAGE}.extra.hip`]: "num_threads num_warps smid",
      [`${LANGUAGE}.extra.hip.libdevice`]: "clz popc",
      "triton.experimental.gluon": "aggregate",
      [GLUON]: "aggregate_replace clamp expect_zero",
      [AMD]: "cdna5 slice",
      [`${AMD}.cdna3`]: "scaled_upcast",
      [`${AMD}.cdna4`]: "compute_efficient_padded_shared_layout scaled_upcast",
      [`${AMD}.gfx1250`]: "PartitionedSharedLayout make_partitioned_dot_layouts scaled_upcast",
      [`${AMD}.gfx1250.tdm`]: "update_tensor_descriptor",
      [NVIDIA]: "rubin",
      [`${NVIDIA}.rubin`]: "TensorMemoryScalesLayout",
      [`${NVIDIA}.ampere.async_copy`]: "async_load",
      [`${NVIDIA}.hopper`]: "async_store",
      [`${NVIDIA}.hopper.cluster`]: "barrier",
      [`${NVIDIA}.hopper.tma`]: `${TMA_ATOMICS} ${TMA_LOADS} async_copy_global_to_shared_im2col tensor_descriptor_im2col tensor_descriptor_im2col_type`,
      [`${NVIDIA}.blackwell`]: "add2 async_store clc fma2 max2 min2 mul2 sub2",
      [`${NVIDIA}.blackwell.tma`]: `${TMA_ATOMICS} ${TMA_LOADS}`,
    },
    removed: {
      [`${NVIDIA}.blackwell`]: { get_tmem_reg_layout: "get_reg_layout of the buffer" },
      [`${NVIDIA}.hopper.mbarrier`]: { sync_cluster_init: "fence_init_release_cluster, then cluster.arrive and cluster.wait" },
    },
    parameters:
      "TensorMemoryLayout(cga_layout) TensorMemoryLayout(fp4_padded) TensorMemoryScalesLayout(cga_layout) async_gather(multicast) " +
      "async_load(cache_modifier) async_load(warp_used_hint) async_store(cache_modifier) arrive(cta_mask) get_mfma_scale_layout(scale_factor) " +
      "get_wmma_scale_layout(scale_factor) store_wait(read_only) tcgen05_mma_barrier_count(two_ctas) tcgen05_mma_scaled(multicast) " +
      "topk(descending)",
    members:
      "shared_memory_descriptor.atomic_scatter_add shared_memory_descriptor.atomic_scatter_and " +
      "shared_memory_descriptor.atomic_scatter_max shared_memory_descriptor.atomic_scatter_min " +
      "shared_memory_descriptor.atomic_scatter_or shared_memory_descriptor.atomic_scatter_xchg " +
      "shared_memory_descriptor.atomic_scatter_xor shared_memory_descriptor.nbytes_per_cta " +
      "shared_memory_descriptor_type.nbytes_per_cta tensor_memory_descriptor.get_reg_layout",
  },
  {
    version: "3.9",
    added: {
      [LANGUAGE]: "atomic_load atomic_poll atomic_store",
      [`${LANGUAGE}.core`]: "atomic_load atomic_poll atomic_store",
      [GLUON]: "CachePolicy atomic_load atomic_poll atomic_store cumprod cumsum fpsan inline_asm",
      [AMD]: "hint",
      [`${AMD}.cdna3`]: "get_scaled_upcast_fp4_scale_layout",
      [`${AMD}.cdna4`]: AMD_FP4,
      [`${AMD}.cdna5`]: AMD_FP4,
      [`${AMD}.gfx1250`]: AMD_FP4,
      [`${NVIDIA}.ampere`]: CACHE_POLICIES,
      [`${NVIDIA}.hopper`]: CACHE_POLICIES,
      [`${NVIDIA}.hopper.tma`]: "CachePolicy",
      [`${NVIDIA}.blackwell`]: `${CACHE_POLICIES} cluster`,
      [`${NVIDIA}.rubin`]: `${CACHE_POLICIES} cluster`,
    },
    parameters:
      "arrive(from_cta) arrive(multicast_cta) async_gather(cache_policy) async_load(cache_policy) async_load_im2col(cache_policy) " +
      "async_scatter(cache_policy) async_store(cache_policy) cumprod(dtype) expect(from_cta) fdiv(approx) load(cache_policy) " +
      "make_partitioned_dot_layouts(slice_m) make_partitioned_dot_layouts(slice_n) make_partitioned_dot_layouts(transposed) " +
      "mfma(cd_regclass) mfma_scaled(cd_regclass) slice(dim) store(cache_policy)",
    members:
      "shared_memory_descriptor.reinterpret tensor.atomic_load tensor.atomic_poll tensor.atomic_store tensor_memory_descriptor.reinterpret",
    followed: ["cumprod(dtype)"],
  },
];

const SHORT: Readonly<Record<string, string>> = { [LANGUAGE]: "tl.", [GLUON]: "gl." };

/** Names, parameters and members that no version has here. Modules are those with all below them. */
const NOT_FOLLOWED = [AMD, "arrive(cta_mask)", "tensor_memory_descriptor.load_max", "tensor_memory_descriptor.load_min"];

/** A name that a value has not: of a module, a parameter of a function, a member of a class. */
export type MissingName =
  | { readonly kind: "name"; readonly module: string; readonly name: string }
  | { readonly kind: "parameter"; readonly function: string; readonly name: string }
  | { readonly kind: "member"; readonly class: string; readonly name: string };

const has = (names: string | undefined, name: string): boolean => names?.split(" ").includes(name) ?? false;

function isAddedBy({ added, parameters, members }: NameChanges, missing: MissingName): boolean {
  if (missing.kind === "parameter") return has(parameters, `${missing.function}(${missing.name})`);
  if (missing.kind === "member") return has(members, `${missing.class}.${missing.name}`);
  return has(added[missing.module], missing.name);
}

/** `3.7` as a number that orders versions. */
const order = (version: string): number => Number(version.split(".")[1]);
const isUntil = (version: string, triton: TritonVersion): boolean => order(version) <= order(triton.name);

/** Whether this version has a member that was added after 3.6. */
export function hasMember(className: string, name: string, triton: TritonVersion): boolean {
  return CHANGES.some(({ version, members }) => isUntil(version, triton) && has(members, `${className}.${name}`));
}

/** Whether this version's module lacks a name that another version's has. */
export function isAbsentFrom(module: string, name: string, triton: TritonVersion): boolean {
  return CHANGES.some(({ version, added, removed }) =>
    isUntil(version, triton) ? removed?.[module]?.[name] !== undefined : has(added[module], name),
  );
}

/** Which version has a name that is missing, and what to do; undefined where none has it. */
export function versionNote(missing: MissingName, triton: TritonVersion): string | undefined {
  const { name } = missing;
  const text =
    missing.kind === "parameter"
      ? `${missing.function}(${name}=...)`
      : missing.kind === "member"
        ? `${missing.class}.${name}`
        : `${SHORT[missing.module] ?? `${missing.module.replace(`${GLUON}.`, "").replace(LANGUAGE, "tl")}.`}${name}`;
  const change = CHANGES.find((changes) => isAddedBy(changes, missing));
  if (change !== undefined) {
    const { version: adds, followed } = change;
    if (isUntil(adds, triton)) return `Triton ${triton.name} has ${text}; tt-step does not`;
    const known = missing.kind === "name" ? missing.module : text.replace("=...", "");
    const isFollowed =
      (followed?.includes(known) ?? true) &&
      !NOT_FOLLOWED.some((name) => `${known}.`.startsWith(`${name}.`)) &&
      TRITON_VERSIONS.some(({ name }) => name === adds);
    return `Triton ${adds} has ${text}${isFollowed ? `: --triton ${adds} compiles as it does` : ", which is not compiled here"}`;
  }
  if (missing.kind !== "name") return undefined;
  const removes = CHANGES.find(({ version, removed }) => isUntil(version, triton) && removed?.[missing.module]?.[name] !== undefined);
  return removes && `since Triton ${removes.version} there is no ${text}: ${removes.removed![missing.module]![name]} is instead`;
}
