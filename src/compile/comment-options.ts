/** Options in a comment above a kernel: `# tt-step: target=cuda:90, num_warps=8`. */
import type { BackendOption } from "../backend/backend.js";
import { nameInTriton, TARGET_OPTIONS, type TargetOptions, targetAsked, targetCalled, unknownTarget } from "../backend/targets.js";
import type { CommentSetting } from "../frontend/kernel-comment.js";
import { expectedText } from "../pass/options.js";
import { nearestText } from "../support/nearest.js";
import { tritonCalled, unknownTriton } from "../support/triton-version.js";
import type { SourceDefaults } from "./source.js";

/** Triton's options by their Python names. */
const NAMES = new Map(Object.entries<BackendOption>(TARGET_OPTIONS).map(([key, spec]) => [nameInTriton(key), { key, spec }]));

/** The target, the version of Triton and its options; an error is one line. */
export function readOptions(settings: readonly CommentSetting[]): SourceDefaults | { readonly error: string } {
  const given: Record<string, unknown> = {};
  let target: string | undefined;
  let triton: string | undefined;
  for (const { key, value } of settings) {
    const option = NAMES.get(key);
    if (key === "target") {
      target = targetCalled(value);
      if (target === undefined) return { error: unknownTarget(value) };
    } else if (key === "triton") {
      triton = tritonCalled(value)?.name;
      if (triton === undefined) return { error: unknownTriton(value) };
    } else if (option) {
      const { spec } = option;
      const read = spec.parse(value);
      if (read === undefined) return { error: `${key} expects ${expectedText(spec)}, not '${value}'` };
      if (spec.refused !== undefined && read !== spec.default) return { error: `${key}=${value} is refused: ${spec.refused}` };
      given[option.key] = read;
    } else return { error: `unknown option '${key}'${nearestText(key, ["target", "triton", ...NAMES.keys()])}` };
  }
  const { arch, ...options } = given as Partial<TargetOptions>;
  const asked = targetAsked(target, arch, (option) => option);
  return "error" in asked ? asked : { ...asked, options, ...(triton === undefined ? {} : { triton }) };
}
