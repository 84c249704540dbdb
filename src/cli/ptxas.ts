/** Finds and runs NVIDIA's assembler, and llc. Nothing of them is part of this program. */
import { type CudaOptions, defaultOptions } from "../backend/nvidia/options.js";
import { readSass } from "../explain/codegen/sass.js";
import { gpuOf } from "../gpu/nvidia.js";
import { fileError } from "../node/files.js";
import type { MachineCode } from "../trace/trace.js";
import type { Io, Programs } from "./io.js";

export interface PtxasOptions {
  readonly capability: number;
  /** Products and sums may be fused by the assembler too. */
  readonly fusion: boolean;
  /** More of ptxas's options. */
  readonly extra: string | undefined;
}
/** The result of ptxas, and of the disassembler beside it. */
export interface Assembled {
  /** One character a byte. */
  readonly cubin: string;
  /** The output of `ptxas -v`: registers, spills, shared memory. */
  readonly log: string;
  /** The machine code as text, where cuobjdump or nvdisasm is installed beside ptxas. */
  readonly sass: string | undefined;
}

/** Where ptxas is looked for, in order: $TRITON_PTXAS_PATH, $PATH, $CUDA_HOME, a Triton of Python's. */
export function findPtxas(programs: Programs, env: Io["env"], capability: number): string | undefined {
  const name = gpuOf(capability).oldestPtx >= 86 ? ["ptxas-blackwell", "ptxas"] : ["ptxas"];
  const { TRITON_PTXAS_PATH: given, PATH: path = "", CUDA_HOME: cuda } = env;
  const folders = [...path.split(":").filter((p) => p !== ""), ...(cuda ? [`${cuda}/bin`] : []), "/usr/local/cuda/bin"];
  folders.push(...tritonBackends(programs, env).map((f) => `${f}/nvidia/bin`));
  const candidates = [...(given ? [given] : []), ...name.flatMap((n) => folders.map((f) => `${f}/${n}`))];
  return candidates.find((c) => programs.isProgram(c));
}

/** The folders of the backends of Tritons that Pythons have: that of $VIRTUAL_ENV, and those on PATH. */
export function tritonBackends(programs: Programs, { VIRTUAL_ENV: venv, PATH: path = "" }: Io["env"]): readonly string[] {
  const onPath = path.split(":").filter((p) => p.endsWith("/bin"));
  return [...(venv ? [venv] : []), ...onPath.map((p) => p.slice(0, -4))].flatMap((root) =>
    programs
      .listFolder(`${root}/lib`)
      .filter((name) => name.startsWith("python3"))
      .flatMap((python) => ["site-packages", "dist-packages"].map((site) => `${root}/lib/${python}/${site}/triton/backends`)),
  );
}

/** The programs and folders that assembling uses. */
export type Assembling = Pick<Io, "programs" | "env" | "readFile" | "writeFile">;

/** Machine code of PTX, by the ptxas that is found; undefined where there is none. */
export function assembledPtx(ptx: string, cuda: Partial<CudaOptions>, io: Assembling): Assembled | { readonly error: string } | undefined {
  const { programs } = io;
  const capability = capabilityIn(ptx);
  const ptxas = programs && findPtxas(programs, io.env, capability);
  if (!programs || ptxas === undefined) return undefined;
  const { enableFpFusion, ptxOptions } = { ...defaultOptions(capability), ...cuda };
  return assemble(programs, io, ptxas, ptx, { capability, fusion: enableFpFusion, extra: ptxOptions });
}

/** Why PTX cannot be assembled here; undefined where ptxas is found. */
export function noAssembler(ptx: string, { programs, env }: Pick<Io, "programs" | "env">): string | undefined {
  return programs && findPtxas(programs, env, capabilityIn(ptx)) !== undefined ? undefined : NO_PTXAS;
}
export const NO_PTXAS =
  "ptxas is not found: put it on PATH, or name it in $TRITON_PTXAS_PATH; it comes with CUDA ($CUDA_HOME) and with Triton's Python package";
const capabilityIn = (ptx: string): number => Number(/^\s*\.target\s+sm_(\d+)/m.exec(ptx)?.[1] ?? 80);

export function machineCodeOf({ log, sass }: Assembled): MachineCode {
  const code = sass === undefined ? undefined : readSass(sass);
  return {
    registers: sumOf(log, /Used (\d+) registers/g),
    spilled: sumOf(log, /(\d+) bytes spill (?:stores|loads)/g),
    ...(code ? { sass: code } : {}),
  };
}
const sumOf = (log: string, pattern: RegExp): number => [...log.matchAll(pattern)].reduce((n, m) => n + Number(m[1]), 0);

/** Runs ptxas on PTX; returns its message when it refuses. */
export function assemble(
  programs: Programs,
  io: Assembling,
  ptxas: string,
  ptx: string,
  options: PtxasOptions,
): Assembled | { readonly error: string } {
  const { capability, fusion, extra } = options;
  const { chip } = gpuOf(capability);
  return programs.withFolder((folder) => {
    io.writeFile(`${folder}/kernel.ptx`, ptx);
    const args = ["-lineinfo", "-v", ...(fusion ? [] : ["--fmad=false"]), ...(extra ? extra.split(" ") : []), `--gpu-name=${chip}`];
    const { status, output } = programs.runProgram(ptxas, [...args, `${folder}/kernel.ptx`, "-o", `${folder}/kernel.cubin`]);
    const log = output.replaceAll(`${folder}/`, "");
    if (status !== 0) return { error: log.trim() };
    const cubin = made(`${folder}/kernel.cubin`, ptxas, io);
    if (typeof cubin !== "string") return cubin;
    const beside = ptxas.slice(0, ptxas.lastIndexOf("/"));
    for (const [program, ...flags] of [
      [`${beside}/nvdisasm`, "-gp", "-c"],
      [`${beside}/cuobjdump`, "-sass"],
    ] as const) {
      const made = programs.isProgram(program) ? programs.runProgram(program, [...flags, `${folder}/kernel.cubin`]) : undefined;
      if (made?.status === 0) return { cubin, log, sass: made.output };
    }
    return { cubin, log, sass: undefined };
  });
}

/** Reads the output file of a program that reported success. */
export function made(path: string, program: string, io: Assembling): string | { readonly error: string } {
  let text = "";
  try {
    text = io.readFile(path);
  } catch (error) {
    return { error: `${program} ended well, but its result cannot be read: ${fileError(error)}` };
  }
  return text === "" ? { error: `${program} ended well, but wrote nothing` } : text;
}

/** Registers, spills, shared memory and size of the code, then the code. */
export function ptxasReport({ log, sass, cubin }: Assembled): string {
  const number = (pattern: RegExp) => sumOf(log, pattern);
  const lines = [
    `registers      ${number(/Used (\d+) registers/g)}`,
    `stack          ${number(/(\d+) bytes stack frame/g)} bytes`,
    `spills         ${number(/(\d+) bytes spill stores/g)} bytes stored, ${number(/(\d+) bytes spill loads/g)} bytes loaded`,
    `shared memory  ${number(/(\d+) bytes smem/g)} bytes (what the launch asks for is added)`,
    `cubin          ${cubin.length} bytes`,
  ];
  const code = sass === undefined ? undefined : readSass(sass).filter(({ text }) => text.startsWith("/*"));
  if (code) lines.push(`SASS           ${code.length} instructions`, "", ...code.map(({ text }) => `        ${text}`));
  else lines.push("SASS           neither cuobjdump nor nvdisasm is beside ptxas");
  return `${lines.join("\n")}\n`;
}

/** The oldest LLVM whose llc reads Triton's IR. */
export const OLDEST_LLVM = 21;
/** Translates LLVM IR with the llc on $PATH; returns the reason where that fails. */
export function translateWithLlc(
  programs: Programs,
  io: Assembling,
  llvmIr: string,
  { capability, version, fusion }: { readonly capability: number; readonly version: number; readonly fusion: boolean },
): { readonly ptx: string } | { readonly error: string } {
  const llc = (io.env["PATH"] ?? "")
    .split(":")
    .map((p) => `${p}/llc`)
    .find((p) => programs.isProgram(p));
  if (!llc) return { error: "--llc: there is no llc on PATH" };
  const found = /LLVM version (\d+)(\S*)/.exec(programs.runProgram(llc, ["--version"]).output);
  if (!found || Number(found[1]) < OLDEST_LLVM)
    return {
      error: `--llc: ${llc} is of LLVM ${found ? `${found[1]}${found[2]}` : "of an unknown version"}; Triton's IR needs LLVM ${OLDEST_LLVM} or newer`,
    };
  const { chip } = gpuOf(capability);
  return programs.withFolder((folder) => {
    io.writeFile(`${folder}/kernel.ll`, llvmIr);
    const args = [
      "-march=nvptx64",
      `-mcpu=${chip}`,
      `-mattr=+ptx${version}`,
      "-O3",
      ...(fusion ? ["-fp-contract=fast"] : []),
      `${folder}/kernel.ll`,
      "-o",
      `${folder}/kernel.ptx`,
    ];
    const { status, output } = programs.runProgram(llc, args);
    if (status !== 0) return { error: output.replaceAll(`${folder}/`, "").trim() };
    const ptx = made(`${folder}/kernel.ptx`, llc, io);
    return typeof ptx === "string" ? { ptx } : ptx;
  });
}
