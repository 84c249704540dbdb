/**
 * `gl.amd`: its names, so that files that import them can be read. To use one is an error: only the functions for NVIDIA's GPUs are followed. `version-names.ts` says which version has which.
 * Source: python/triton/experimental/gluon/language/amd.
 */
import { defineBuiltin } from "../../language/define-builtin.js";
import type { PyModule, PyValue } from "../../language/values.js";

const BUFFERS =
  "buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min buffer_atomic_or buffer_atomic_xor buffer_load buffer_store";

/** The modules of gfx1250, which 3.8 names `cdna5` too. */
function belowGfx1250(name: string): Readonly<Record<string, string>> {
  return {
    [name]:
      "wmma wmma_scaled buffer_load buffer_store get_wmma_scale_layout PartitionedSharedLayout make_partitioned_dot_layouts scaled_upcast",
    [`${name}.async_copy`]: "global_to_shared shared_to_global commit_group wait_group mbarrier_arrive",
    [`${name}.cluster`]: "arrive wait",
    [`${name}.mbarrier`]: "MBarrierLayout init wait arrive",
    [`${name}.tdm`]:
      "async_load async_store async_wait async_gather async_scatter prefetch make_tensor_descriptor update_tensor_descriptor tensor_descriptor tensor_descriptor_type",
  };
}

/** The functions and classes of each module below `gl.amd`. */
const NAMES: Readonly<Record<string, string>> = {
  cdna3: `${BUFFERS} mfma scaled_upcast`,
  cdna4: `${BUFFERS} mfma mfma_scaled get_mfma_scale_layout scaled_upcast compute_efficient_padded_shared_layout`,
  "cdna4.async_copy": "global_load_to_shared buffer_load_to_shared commit_group wait_group load_shared_relaxed",
  rdna3: "wmma",
  rdna4: "wmma",
  ...belowGfx1250("gfx1250"),
  ...belowGfx1250("cdna5"),
};

/** `triton.experimental.gluon.language.amd` and the modules below it. */
export function amdModules(language: string): readonly PyModule[] {
  const modules = new Map<string, PyModule>();
  const add = (name: string, names: string): void => {
    const path = ["amd", name].filter((part) => part !== "").join(".");
    const module: PyModule = {
      kind: "module",
      name: `${language}.${path}`,
      attrs: new Map(names.split(" ").map((fn) => unavailable(path, fn))),
    };
    modules.set(path, module);
    const dot = path.lastIndexOf(".");
    if (dot >= 0) modules.get(path.slice(0, dot))!.attrs.set(path.slice(dot + 1), module);
  };
  add("", "AMDMFMALayout AMDWMMALayout warp_pipeline_stage slice");
  for (const [name, names] of Object.entries(NAMES)) add(name, names);
  return [...modules.values()];
}

function unavailable(module: string, name: string): readonly [string, PyValue] {
  const why = `gl.${module}.${name} is not followed: only Gluon's functions for NVIDIA's GPUs are`;
  return [name, { kind: "builtin", def: { ...defineBuiltin(name, {}, () => null), unavailable: why } }];
}
