/** Finds and runs LLVM's programs for AMD's targets: assembly and code objects of our LLVM IR. Nothing of them is part of this program. */
import { headlineOf, occupancyOnAmd } from "../explain/headline.js";
import { archOf } from "../gpu/amd.js";
import { occupancyText } from "../gpu/amd-occupancy.js";
import { machineCodeOfAmd } from "../trace/amd-assembly.js";
import type { Trace } from "../trace/trace.js";
import type { Io, Programs } from "./io.js";
import { type Assembling, made, OLDEST_LLVM, tritonBackends } from "./ptxas.js";

export const NO_LLVM = `there is no LLVM ${OLDEST_LLVM} or newer for AMD: put its opt and llc (ld.lld too for hsaco) on PATH; ROCm ($ROCM_PATH) and Debian's llvm-22 have them`;
const LIBRARIES = ["ocml.bc", "ockl.bc"];
/** Calls of ROCm's device libraries. */
const LIBRARY_CALL = /^declare .*@(__oc[km]l_\w+)\(/m;

/** The code that LLVM makes of a kernel. */
export interface AmdCode {
  readonly assembly: string;
  /** One character a byte; only where it was asked for. */
  readonly hsaco?: string;
}
type Result<T> = T | { readonly error: string };

/** The folder of an LLVM that is new enough, in order: ROCm's, those on PATH, Debian's. */
export function findLlvm(programs: Programs, env: Io["env"]): string | undefined {
  const { ROCM_PATH: rocm, PATH: path = "" } = env;
  const debian = programs
    .listFolder("/usr/lib")
    .filter((name) => /^llvm-\d+$/.test(name))
    .sort((a, b) => Number(b.slice(5)) - Number(a.slice(5)));
  const folders = [
    ...(rocm ? [`${rocm}/llvm/bin`] : []),
    ...path.split(":").filter((folder) => folder !== ""),
    "/opt/rocm/llvm/bin",
    ...debian.map((d) => `/usr/lib/${d}/bin`),
  ];
  return folders.find((folder) => {
    if (!["opt", "llc"].every((name) => programs.isProgram(`${folder}/${name}`))) return false;
    const version = programs.runProgram(`${folder}/llc`, ["--version"]).output;
    return Number(/LLVM version (\d+)/.exec(version)?.[1] ?? 0) >= OLDEST_LLVM && version.includes("amdgcn");
  });
}

/** The assembly of LLVM IR, and the code object where it is wanted. Source: third_party/amd/backend/compiler.py, make_llir to make_hsaco. */
export function compileForAmd(
  llvmIr: string,
  trace: Pick<Trace, "target" | "options">,
  io: Assembling,
  wanted: "amdgcn" | "hsaco",
): Result<AmdCode> {
  const called = LIBRARY_CALL.exec(llvmIr)?.[1];
  const arch = archOf(trace.target ?? "")!;
  const flags = [`-mcpu=${arch}`, "-O3"];
  const fusion = trace.options["enableFpFusion"] === false ? [] : ["-fp-contract=fast"];
  return withLlvm(io, ({ programs, file, run, link }) => {
    const libraries = called === undefined ? [] : librariesOf(programs, io.env);
    if (!libraries)
      return {
        error: `the kernel calls ${called}, and ROCm's device libraries are not found: they are in $ROCM_PATH/amdgcn/bitcode and in Triton's Python package`,
      };
    io.writeFile(file("ll"), llvmIr);
    if (libraries.length > 0) {
      const linked = run("llvm-link", ["-S", "--only-needed", file("ll"), ...libraries], "linked.ll");
      if (typeof linked !== "string") return linked;
    }
    const optimized = run("opt", ["-S", ...flags, file(libraries.length > 0 ? "linked.ll" : "ll")], "opt.ll");
    if (typeof optimized !== "string") return optimized;
    // Workgroup ids in registers of the hardware are read whether or not the program asks for them.
    if (arch.startsWith("gfx12")) io.writeFile(file("opt.ll"), optimized.replace(/"amdgpu-no-workgroup-id-[xyz]" ?/g, ""));
    const code = [...flags, ...fusion, ...(arch.startsWith("gfx11") ? ["-mattr=-real-true16"] : []), file("opt.ll")];
    const assembly = run("llc", code, "s");
    if (typeof assembly !== "string" || wanted === "amdgcn") return typeof assembly === "string" ? { assembly } : assembly;
    const object = run("llc", ["-filetype=obj", ...code], "o");
    return typeof object === "string" ? link(assembly) : object;
  });
}

/** The code object of an assembly that there is already. */
export function assembleForAmd(assembly: string, target: string, io: Assembling): Result<AmdCode> {
  return withLlvm(io, ({ file, run, link }) => {
    io.writeFile(file("s"), assembly);
    const object = run("llvm-mc", ["-triple=amdgcn-amd-amdhsa", `-mcpu=${archOf(target)!}`, "-filetype=obj", file("s")], "o");
    return typeof object === "string" ? link(assembly) : object;
  });
}

/** An LLVM with a folder to work in. */
interface Llvm {
  readonly programs: Programs;
  readonly file: (name: string) => string;
  /** Runs a program, and returns the file that it writes. */
  readonly run: (name: string, args: readonly string[], output: string) => Result<string>;
  /** The code object of `o`, the object file. */
  readonly link: (assembly: string) => Result<AmdCode>;
}
function withLlvm(io: Assembling, use: (llvm: Llvm) => Result<AmdCode>): Result<AmdCode> {
  const { programs } = io;
  const llvm = programs && findLlvm(programs, io.env);
  if (!programs || llvm === undefined) return { error: NO_LLVM };
  return programs.withFolder((folder) => {
    const file = (name: string) => `${folder}/kernel.${name}`;
    const run: Llvm["run"] = (name, args, output) => {
      if (!programs.isProgram(`${llvm}/${name}`)) return { error: `there is no ${name} beside ${llvm}/llc` };
      const { status, output: log } = programs.runProgram(`${llvm}/${name}`, [...args, "-o", file(output)]);
      if (status !== 0) return { error: `${name} of ${llvm} refuses it:\n${log.replaceAll(`${folder}/`, "").trim()}` };
      return made(file(output), `${llvm}/${name}`, io);
    };
    const link: Llvm["link"] = (assembly) => {
      if (!programs.isProgram(`${llvm}/ld.lld`))
        return { error: `there is no ld.lld beside ${llvm}/llc: hsaco needs it, --emit amdgcn does not` };
      const hsaco = run("ld.lld", ["-shared", file("o")], "hsaco");
      return typeof hsaco === "string" ? { assembly, hsaco } : hsaco;
    };
    return use({ programs, file, run, link });
  });
}

/** The bitcode of ROCm's device libraries; undefined where it is not found. */
function librariesOf(programs: Programs, env: Io["env"]): readonly string[] | undefined {
  const rocm = [env["ROCM_PATH"] ?? "/opt/rocm", "/opt/rocm"].map((root) => `${root}/amdgcn/bitcode`);
  const wheels = tritonBackends(programs, env).map((folder) => `${folder}/amd/lib`);
  const folder = [...rocm, ...wheels].find((f) => LIBRARIES.every((name) => programs.listFolder(f).includes(name)));
  return folder === undefined ? undefined : LIBRARIES.map((name) => `${folder}/${name}`);
}

/** Registers, spills, LDS, waves and size of the code, then the code. */
export function amdReport(assembly: string, trace: Trace): string {
  const machine = machineCodeOfAmd(assembly);
  const { registers, wave } = machine;
  const { warps, shared } = headlineOf(trace);
  const occupancy = occupancyOnAmd(machine, trace.target, warps, shared);
  const code = instructionsOf(assembly);
  const { accumulators, scalars, spilledScalars, scratch, lds } = wave!;
  return `${[
    `VGPRs          ${registers}${accumulators > 0 ? `, of them ${accumulators} AGPRs` : ""}`,
    `SGPRs          ${scalars}`,
    `spills         ${machine.spilled / 4} VGPRs, ${spilledScalars} SGPRs`,
    `scratch        ${scratch} bytes a lane`,
    `LDS            ${lds} bytes${shared ? `, and ${shared} that the launch asks for` : ""}`,
    ...(occupancy ? [`waves          ${occupancyText(occupancy)}`] : []),
    ...(occupancy?.limits ?? []).map(({ by, waves, detail }) => `  ${by.padEnd(13)}${waves === Infinity ? "no limit" : waves}: ${detail}`),
    `code           ${code.filter((line) => !line.endsWith(":")).length} instructions`,
    "",
    ...code.map((line) => (line.endsWith(":") ? line : `        ${line}`)),
  ].join("\n")}\n`;
}

/** The instructions and labels of the functions, without directives and comments. */
function instructionsOf(assembly: string): readonly string[] {
  const end = assembly.search(/^\s*\.section\s+\.rodata|^\s*\.amdgpu_metadata/m);
  return (end < 0 ? assembly : assembly.slice(0, end))
    .split("\n")
    .map((line) =>
      line
        .replace(/\s*;.*$/, "")
        .trim()
        .replace(/\t/g, " "),
    )
    .filter((line) => line !== "" && (/^[a-z]/.test(line) || /^(?!\.L(?:func|tmp|debug|info))[.\w$]+:$/.test(line)));
}
