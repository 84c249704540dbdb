/** The targets of all platforms, and Triton's options for them. Passes are not loaded by this file. */

import { withDefaults } from "../pass/options.js";
import { byName } from "../support/by-name.js";
import { type Environment, isOn } from "../support/environment.js";
import { nearest } from "../support/nearest.js";
import type { TritonVersion } from "../support/triton-version.js";
import { HIP, type HipOptions } from "./amd/options.js";
import type { BackendOption, BackendOptions, Platform } from "./backend.js";
import { CUDA, type CudaOptions } from "./nvidia/options.js";

/** Triton's options in camel case; those that CUDA has not may be left out. */
export type TargetOptions = CudaOptions & Partial<HipOptions>;
type AnyPlatform = Platform<CudaOptions> | Platform<Partial<HipOptions>>;

const PLATFORMS: readonly AnyPlatform[] = [CUDA, HIP];

/** The targets that can be compiled for: `cuda:80`, ... */
export const TARGETS: readonly string[] = PLATFORMS.flatMap(({ targets }) => targets);

/** The target where nothing names one. */
export const DEFAULT_TARGET = "cuda:80";

/** Triton's options of all platforms; of those that several have, the first one's. */
export const TARGET_OPTIONS: BackendOptions<TargetOptions> = { ...HIP.options, ...CUDA.options };

/** The platform of a target; undefined for a name of no platform. */
export const platformOf = (target: string): AnyPlatform | undefined => PLATFORMS.find(({ owns }) => owns(target));

/** The target of a name as people write it: `cuda:90`, `sm_90a`, `90`. Undefined for a GPU that cannot be compiled for. */
export function targetCalled(name: string): string | undefined {
  for (const platform of PLATFORMS) {
    const target = platform.targetCalled(name);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** The message for a name that `targetCalled` does not know. */
export const unknownTarget = (name: string): string => `unknown target '${name}'; known are ${TARGETS.join(", ")}`;

/** The defaults of a target's options, some of which depend on the GPU; those of no GPU in particular for a target that is not known. */
export const defaultOptions = (target: string): TargetOptions => ({
  ...(withDefaults(CUDA.options, {}) as CudaOptions),
  ...platformOf(target)?.defaults(target),
});

/** The options of a target that Triton reads from environment variables, where those are set. */
export function optionsOfEnvironment(environment: Environment, target: string): Partial<TargetOptions> {
  const options = Object.entries<BackendOption>(platformOf(target)!.options);
  return Object.fromEntries(
    options.flatMap(([key, { variable, kind }]) => {
      const text = variable === undefined ? undefined : environment[variable];
      return text === undefined ? [] : [[key, kind === "bool" ? isOn(text) : text]];
    }),
  );
}

/** The options of a compilation for the target `from` when it is made for `to`: what has `from`'s default gets `to`'s. */
export function retargeted(options: TargetOptions, from: string, to: string): TargetOptions {
  const was: Readonly<Record<string, unknown>> = defaultOptions(from);
  const chosen = Object.entries(options).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(was[key]));
  return { ...defaultOptions(to), ...Object.fromEntries(chosen) };
}

/** The reason why options do not fit a target, in Triton's words where it has some; undefined if they fit. */
export function checkOptions(options: TargetOptions, target: string): string | undefined {
  const platform = platformOf(target);
  if (!platform) return unknownTarget(target);
  for (const [key, value] of Object.entries(options)) {
    const spec = byName<BackendOption>(TARGET_OPTIONS)[key];
    if (!spec) {
      const near = nearest(keyOf(key), Object.keys(TARGET_OPTIONS));
      return `there is no option '${key}'${near === undefined ? "" : `; did you mean '${near}'?`}`;
    }
    const isOf = value === undefined || (spec.kind === "list" ? Array.isArray(value) : typeof value === TYPES[spec.kind]);
    if (!isOf) return `${nameInTriton(key)} is a ${spec.kind === "list" ? "list" : TYPES[spec.kind]}, not ${typeof value}`;
  }
  const foreign = Object.entries<BackendOption>(TARGET_OPTIONS).find(
    ([key, { default: value }]) => !(key in platform.options) && (options[key as keyof TargetOptions] ?? value) !== value,
  );
  if (!foreign) return platform.check(options, target);
  const [key] = foreign;
  const owner = PLATFORMS.find((other) => key in other.options)!;
  return `${nameInTriton(key)} is an option of targets like ${owner.targets[0]}; ${target} has none of that name`;
}

/** Why a target is not compiled for with these options as that version of Triton does; undefined where it is. */
export function versionProblem(target: string, version: TritonVersion, options: Partial<TargetOptions>): string | undefined {
  const { versions: ofTarget, options: specs } = platformOf(target)!;
  const only = (subject: string, versions: readonly TritonVersion[]): string =>
    `Triton ${version.name} is not followed for ${subject}, only ${versions.map(({ name }) => name).join(", ")}`;
  if (!ofTarget.includes(version)) return only(target, ofTarget);
  for (const [key, { versions, default: value }] of Object.entries<BackendOption>(specs)) {
    const chosen = options[key as keyof TargetOptions] ?? value;
    if (versions && chosen !== value && !versions.includes(version)) return only(`${nameInTriton(key)}=${chosen}`, versions);
  }
  return undefined;
}
const TYPES = { int: "number", size: "number", bool: "boolean", string: "string", enum: "string" } as const;
/** An option's key by its name in Triton's Python. */
const keyOf = (name: string): string => name.replace(/_[a-z]/g, (at) => at[1]!.toUpperCase());

/** An option's name in Triton's Python. */
export const nameInTriton = (key: string): string => key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

/** The target that `--target` and Triton's `arch` ask for; the error names the option as `shown` writes it. */
export function targetAsked(
  target: string | undefined,
  arch: string | undefined,
  shown: (option: string) => string,
): { readonly target: string | undefined } | { readonly error: string } {
  if (arch === undefined) return { target };
  const called = targetCalled(arch);
  if (called === undefined) return { error: `${shown("arch")} expects sm80, sm90, ..., as ${shown("target")}, not '${arch}'` };
  return target === undefined || target === called
    ? { target: called }
    : { error: `${shown("arch")} ${arch} and ${shown("target")} ${target} are different targets` };
}
