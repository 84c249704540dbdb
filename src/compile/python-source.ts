/** A Python kernel as input: read, chosen from, specialized and turned into TTIR. */

import {
  checkOptions,
  DEFAULT_TARGET,
  defaultOptions,
  optionsOfEnvironment,
  platformOf,
  type TargetOptions,
  versionProblem,
} from "../backend/targets.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { compileKernel, readEmbedded, readPython } from "../frontend/compile-python.js";
import { type CommentSetting, commentSettings } from "../frontend/kernel-comment.js";
import type { KernelConfig, KernelInfo, Specialization } from "../frontend/request.js";
import { chooseKernel, POINTER_RANGE, type Proposal, specialize, unknownConfigs } from "../frontend/specialize.js";
import { gpuCalled } from "../gpu/gpu.js";
import { Context } from "../ir/context.js";
import { shellWord } from "../support/shell-word.js";
import {
  DEFAULT_TRITON,
  isNewerTriton,
  TRITON_VERSIONS,
  type TritonVersion,
  tritonOrDefault,
  unknownTriton,
} from "../support/triton-version.js";
import { toBytes } from "../support/utf8.js";
import { type Captured, capturedSettings } from "./capture.js";
import { readOptions } from "./comment-options.js";
import { type ModuleSource, type PythonArguments, type Rejected, rejected, rejectedBy, type SourceRequest } from "./source.js";

const NO_ARGUMENTS: PythonArguments = {
  kernel: undefined,
  signature: undefined,
  types: [],
  constants: [],
  defines: [],
  config: undefined,
};

/** The TTIR of one of a file's kernels. */
export const readPythonSource = (request: SourceRequest): ModuleSource | Rejected => readKernel(request, []);

/** `ofComment`: what the comment above the kernel defines; `version`: the Triton that it is for. The file is read again with them. */
function readKernel(request: SourceRequest, ofComment: readonly string[], version = versionFor(request, {})): ModuleSource | Rejected {
  const { name, text, readFile = () => undefined, isFolder, cwd, searchPath, env, tritonLib } = request;
  const python = { ...NO_ARGUMENTS, ...request.python };
  const embedded = readEmbedded(name, text);
  if (embedded.kernels.length > 0) return readEmbeddedKernel(request, embedded);
  const ctx = new Context(ALL_DIALECTS);
  const file = readPython(ctx, name === "-" ? "<stdin>" : name, text, {
    readFile,
    isFolder,
    cwd,
    searchPath,
    ...(env ? { env } : {}),
    // Looked for when the kernel needs it.
    ...(tritonLib ? { tritonLib: () => tritonLib((diagnostic) => void ctx.diagnostics.push(diagnostic), version.followed) } : {}),
    gpu: gpuCalled(request.target ?? DEFAULT_TARGET)!,
    triton: version.followed,
    defines: [...ofComment, ...python.defines],
  });
  if (!file) return rejectedBy(ctx);
  const settings = (kernel: KernelInfo): readonly CommentSetting[] => {
    const ofComment = commentSettings(text, kernel.line);
    return [...ofComment, ...kernel.settings.filter(({ key }) => !ofComment.some((c) => c.key === key))];
  };
  const kernel = chooseKernel(file.kernels, python.kernel, name, (k) => settings(k).length > 0, file.inner);
  if ("error" in kernel) return rejected(kernel.error, kernel);
  const defines = settings(kernel).flatMap(({ key, value }) => (key === "define" ? [value] : []));
  if (defines.length > ofComment.length) return readKernel(request, defines, version);
  if (kernel.refused) {
    ctx.diagnostics.push(kernel.refused);
    return rejectedBy(ctx);
  }
  const stated = settings(kernel);
  const isStated = stated.some(({ key }) => key === "signature") || python.signature !== undefined || python.types.length > 0;
  const captured = isStated ? [] : (python.captured ?? []).filter((c) => c.kernel === kernel.name);
  if (captured.length > 1) return rejected(...captureChoices(kernel.name, name, captured));
  const ofCapture = captured.flatMap(capturedSettings).filter(({ key }) => !stated.some((c) => c.key === key));
  for (const { folder, signature } of captured) {
    const message = `the signature of '${kernel.name}' is the one captured in ${folder}: ${signature}`;
    ctx.diagnostics.push({ severity: "remark", code: "python.captured", message, notes: [] });
  }
  const made = specialize(kernel, python, [...stated, ...ofCapture], name);
  if ("error" in made) return rejected(made.error, made);
  const asked = readOptions(made.options);
  if ("error" in asked) return rejected(`${name}:${kernel.line}: in the comment above '${kernel.name}': ${asked.error}`);

  const wanted = versionFor(request, asked);
  if (wanted.followed !== version.followed) return readKernel(request, ofComment, wanted);
  if (wanted.instead !== undefined)
    ctx.diagnostics.push({ severity: "remark", code: "python.other-triton", message: wanted.instead, notes: [] });

  const unknown = unknownConfigs(kernel);
  if (unknown !== undefined) {
    const message = `${unknown}; num_warps, num_stages and num_ctas are the defaults where none are given`;
    ctx.diagnostics.push({ severity: "remark", code: "python.configs", message, notes: [] });
  }

  if (made.guessed.length > 0) {
    const list = made.guessed.map(({ name, text, from }) => `${name}=${text}${from === "use" ? "" : ` (${from})`}`).join(", ");
    const message = `guessed arguments of '${kernel.name}': ${list}; the program may call it with others`;
    ctx.diagnostics.push({ severity: "remark", code: "python.guess", message, notes: [] });
  }

  const defaults = {
    target: asked.target,
    ...(version.followed === DEFAULT_TRITON ? {} : { triton: version.followed.name }),
    options: { ...(kernel.debug ? { debug: true } : {}), ...optionsOf(made.config), ...asked.options },
  };
  const target = request.target ?? defaults.target ?? DEFAULT_TARGET;
  const ofEnvironment = optionsOfEnvironment(request.environment ?? {}, target);
  const options = { ...defaultOptions(target), ...ofEnvironment, ...defaults.options, ...request.options };
  const problem = checkOptions(options, target);
  if (problem) return rejected(problem);
  const specialization = platformOf(target)!.takesPointerRanges ? made.specialization : withoutPointerRanges(made.specialization);
  // Triton makes the assertions of a kernel with the sanitizer's checks.
  const debug = options.debug || options.instrumentationMode === "consan";
  const module = compileKernel(file, specialization, { gpu: gpuCalled(target)!, ...options, debug });
  if (!module) return rejectedBy(ctx);
  return {
    kind: "module",
    module,
    defaults,
    madeFor: { target, options, version: version.followed },
    python: {
      proposal: made.proposal,
      grid: (numbers) => kernel.grid(numbers, constantsOf(kernel, made.specialization)),
    },
    request,
    readAgain: readPythonSource,
  };
}

const withoutPointerRanges = (specialization: Specialization): Specialization => ({
  ...specialization,
  attrs: new Map([...specialization.attrs].map(([path, attrs]) => [path, attrs.filter(([name]) => name !== POINTER_RANGE)])),
});

/** The version of Triton to follow, and what to say where it is not the one that is installed. */
interface FollowedVersion {
  readonly followed: TritonVersion;
  readonly instead?: string;
}
/** The version that is asked for, else the installed one where it is known for the target, else the default. */
function versionFor(
  { triton, target: ofRequest, installedTriton }: SourceRequest,
  asked: { readonly triton?: string | undefined; readonly target?: string | undefined },
): FollowedVersion {
  const said = triton ?? asked.triton;
  const release = said === undefined ? installedTriton?.() : undefined;
  if (release === undefined) return { followed: tritonOrDefault(said) };
  const target = ofRequest ?? asked.target ?? DEFAULT_TARGET;
  const known = TRITON_VERSIONS.find(({ name }) => release.startsWith(`${name}.`));
  const problem = known?.lastStage
    ? `Triton ${known.name} is followed to the end of ${known.lastStage.toUpperCase()} alone`
    : known
      ? versionProblem(target, known, {})
      : isNewerTriton(release)
        ? unknownTriton(release)
        : undefined;
  if (problem === undefined) return { followed: known ?? DEFAULT_TRITON };
  const instead = `${problem}; it is what python3 would import, and the kernel is compiled as Triton ${DEFAULT_TRITON.name} makes it`;
  return { followed: DEFAULT_TRITON, instead };
}

/** The message and the choice where a kernel was captured several times. */
function captureChoices(kernel: string, file: string, captured: readonly Captured[]): Parameters<typeof rejected> {
  const items = captured.map((c) => ({
    text: `${c.signature} ${[c.target, ...c.options].map((o) => (typeof o === "string" ? o : `${o[0]}=${o[1]}`)).join(" ")}`,
    given: { kernel, signature: c.signature },
    settings: capturedSettings(c).filter(({ key }) => key !== "signature"),
  }));
  const list = items.map((item) => `  --signature ${shellWord(item.given.signature)}`).join("\n");
  return [
    `'${kernel}' of '${file}' was captured ${captured.length} times; choose one:\n${list}`,
    { choices: { title: "captured", items } },
  ];
}

/** Reads one of the kernels that a file holds as string literals, as Inductor's `output_code.py` does. */
function readEmbeddedKernel(request: SourceRequest, { kernels, diagnostics }: ReturnType<typeof readEmbedded>): ModuleSource | Rejected {
  const { name, python } = request;
  const wanted = python?.kernel;
  const [only] = wanted === undefined ? kernels : kernels.filter((k) => k.name === wanted);
  if (!only || (wanted === undefined && kernels.length > 1)) {
    const titles = kernels.map((k) => (k.title === undefined ? k.name : `${k.name}: ${k.title}`));
    const items = kernels.map((k, i) => ({ text: titles[i]!, given: { kernel: k.name } }));
    const why = wanted === undefined ? `has ${kernels.length} kernels; choose one with --kernel` : `has no kernel '${wanted}'; it has`;
    return rejected(`'${name}' ${why}:\n${titles.map((t) => `  ${t}`).join("\n")}`, { choices: { title: "kernels", items } });
  }
  const { kernel: _, ...others } = { ...python };
  // Proposed commands name the kernel as the file does.
  const commandLine = others.commandLine && ((file: string, p: Proposal) => others.commandLine!(file, { ...p, kernel: only.name }));
  const made = readPythonSource({ ...request, text: toBytes(only.text), python: { ...others, ...(commandLine ? { commandLine } : {}) } });
  if (made.kind === "module") made.module.ctx.diagnostics.unshift(...diagnostics);
  return made;
}

/** The constants of a specialization by parameter. */
const constantsOf = ({ parameters }: KernelInfo, { constants }: Specialization): ReadonlyMap<string, string> =>
  new Map(parameters.flatMap(({ name }, i) => (constants.has(String(i)) ? [[name, constants.get(String(i))!]] : [])));

function optionsOf(config: KernelConfig | undefined): Partial<TargetOptions> {
  const { numWarps, numStages, numCtas, maxnreg } = config ?? {};
  return {
    ...(numWarps === undefined ? {} : { numWarps }),
    ...(numStages === undefined ? {} : { numStages }),
    ...(numCtas === undefined ? {} : { numCtas }),
    ...(maxnreg === undefined ? {} : { maxnreg }),
  };
}
