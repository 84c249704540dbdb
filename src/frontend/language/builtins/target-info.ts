/** Queries of the compilation target. Source: python/triton/language/target_info.py. */
import type { Gpu } from "../../../gpu/gpu.js";
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../define-builtin.js";
import { constexpr, type PyClass, type PyValue } from "../values.js";
import { integer } from "./arguments.js";

const GPU_TARGET: PyClass = {
  kind: "class",
  name: "GPUTarget",
  module: "triton.backends.compiler",
  qualname: "GPUTarget",
  flavour: "plain",
  attrs: new Map(),
  fields: [],
  data: undefined,
};
const asks = (name: string, is: (gpu: Gpu) => boolean): BuiltinDef => defineBuiltin(name, {}, (s) => constexpr(is(s.options.gpu)));

/** The architecture as Triton's GPUTarget has it: a number for CUDA, a name for HIP. */
const archValue = ({ arch }: Gpu): PyValue => (typeof arch === "number" ? BigInt(arch) : arch);

export const TARGET_INFO: readonly BuiltinDef[] = [
  defineBuiltin("current_target", {}, (s) => ({
    kind: "instance",
    cls: GPU_TARGET,
    attrs: new Map<string, PyValue>([
      ["backend", s.options.gpu.backend],
      ["arch", archValue(s.options.gpu)],
      ["warp_size", BigInt(s.options.gpu.warpSize)],
    ]),
  })),
  asks("is_cuda", ({ backend }) => backend === "cuda"),
  asks("is_hip", ({ backend }) => backend === "hip"),
  asks("is_hip_cdna3", ({ arch }) => arch === "gfx942"),
  asks("is_hip_cdna4", ({ arch }) => arch === "gfx950"),
  asks("is_hip_gfx1250", ({ arch }) => arch === "gfx1250"),
  defineBuiltin("cuda_capability_geq", { major: REQUIRED, minor: 0n }, (s, a) =>
    constexpr(Number(s.options.gpu.cuda && s.options.gpu.arch) >= integer(a.major) * 10 + integer(a.minor)),
  ),
];
