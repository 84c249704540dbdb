/** Queries of the compilation target. Source: python/triton/language/target_info.py. */
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
const known = (name: string, value: PyValue): BuiltinDef => defineBuiltin(name, {}, () => constexpr(value));

export const TARGET_INFO: readonly BuiltinDef[] = [
  defineBuiltin("current_target", {}, (s) => ({
    kind: "instance",
    cls: GPU_TARGET,
    attrs: new Map<string, PyValue>([
      ["backend", "cuda"],
      ["arch", BigInt(s.options.capability)],
      ["warp_size", 32n],
    ]),
  })),
  known("is_cuda", true),
  known("is_hip", false),
  known("is_hip_cdna3", false),
  known("is_hip_cdna4", false),
  defineBuiltin("cuda_capability_geq", { major: REQUIRED, minor: 0n }, (s, a) =>
    constexpr(s.options.capability >= integer(a.major) * 10 + integer(a.minor)),
  ),
];
