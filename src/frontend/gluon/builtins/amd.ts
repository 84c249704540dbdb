/**
 * `gl.amd`: its names, so that files that import them can be read. To use one is an error: kernels are compiled for NVIDIA's GPUs.
 * Source: python/triton/experimental/gluon/language/amd.
 */
import { defineBuiltin } from "../../language/define-builtin.js";
import type { PyModule, PyValue } from "../../language/values.js";

const BUFFERS =
  "buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min buffer_atomic_or buffer_atomic_xor buffer_load buffer_store";

/** The functions and classes of each module below `gl.amd`. */
const NAMES: Readonly<Record<string, string>> = {
  cdna3: `${BUFFERS} mfma`,
  cdna4: `${BUFFERS} mfma mfma_scaled get_mfma_scale_layout`,
  "cdna4.async_copy": "global_load_to_shared buffer_load_to_shared commit_group wait_group load_shared_relaxed",
  rdna3: "wmma",
  rdna4: "wmma",
  gfx1250: "wmma wmma_scaled buffer_load buffer_store get_wmma_scale_layout",
  "gfx1250.async_copy": "global_to_shared commit_group wait_group mbarrier_arrive",
  "gfx1250.mbarrier": "MBarrierLayout init wait arrive",
  "gfx1250.tdm": "async_load async_store async_wait make_tensor_descriptor tensor_descriptor tensor_descriptor_type",
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
  add("", "AMDMFMALayout AMDWMMALayout");
  for (const [name, names] of Object.entries(NAMES)) add(name, names);
  return [...modules.values()];
}

function unavailable(module: string, name: string): readonly [string, PyValue] {
  const why = `gl.${module}.${name} is for AMD's GPUs, and kernels are compiled for NVIDIA's here`;
  return [name, { kind: "builtin", def: { ...defineBuiltin(name, {}, () => null), unavailable: why } }];
}
