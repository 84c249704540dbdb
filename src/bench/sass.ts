/**
 * Holds what `tt-step limits` takes from PTX against ptxas: instructions of each kind in the PTX and in the machine code, and estimated
 * registers. `node scripts/run-ts.js src/bench/sass.ts FOLDER FILE...`: the folder has ptxas and cuobjdump (those of a Triton of Python's
 * are in triton/backends/nvidia/bin); a file is PTX, or TTIR with the target that it is compiled for: `matmul.ttir@cuda:80`.
 * Instructions are counted where they are in the text, not as often as they are executed.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { readSass } from "../explain/codegen/sass.js";
import { compile, readSource } from "../index.js";
import { slotsOf } from "../limits/pipes.js";
import { estimateRegisters } from "../limits/registers.js";
import { parsePtx } from "../ptx/parse.js";
import { compileProgram } from "../simulate/ptx/compile.js";

/** Kinds of instructions: in PTX by the mnemonic, and in machine code. */
const KINDS: readonly (readonly [name: string, ptx: (mnemonic: string) => number, sass: RegExp])[] = [
  ["loads of global memory", is(/^ldu?\.(?!param|shared|local|const)/), /^LDG?\b/],
  ["stores to it", is(/^st\.(?!param|shared|local|async)/), /^STG?\b/],
  ["cp.async", is(/^cp\.async\.c[ag]/), /^LDGSTS\b/],
  ["bulk copies", is(/^cp(?:\.reduce)?\.async\.bulk\.(?:tensor|shared|global)/), /^(?:UBLKCP|UBLKRED|UTMA(?:LDG|STG|REDG))\b/],
  ["atomics", is(/^(?:atom|red)\./), /^(?:ATOMG?S?|RED|REDG|REDAS|ATOMS)\b/],
  ["loads of shared memory", is(/^ld\.shared/), /^LDS\b/],
  ["stores to it", is(/^st\.shared/), /^STS\b/],
  ["ldmatrix, stmatrix", is(/^(?:ld|st)matrix/), /^(?:LDSM|STSM)\b/],
  ["tensor cores", (m) => slotsOf(m).tensor ?? 0, /^(?:[HIQD]MMA|OMMA|[HIQ]GMMA|UTC[HIQO]MMA)\b/],
  ["shuffles", is(/^shfl/), /^SHFL\b/],
  ["special functions", (m) => (/^(?:ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh)/.test(m) ? (slotsOf(m).sfu ?? 0) : 0), /^MUFU\b/],
  ["f32 FMA, add, multiply", (m) => slotsOf(m).fma ?? 0, /^F(?:FMA|ADD|MUL)2?\b/],
  ["barriers", is(/^bar(?:rier)?\.(?!warp|cluster)/), /^BAR\b/],
  ["all", (m) => Object.values(slotsOf(m)).reduce((a, b) => a + b, 0), /^(?!NOP|BRA\b)/],
];
function is(pattern: RegExp) {
  return (mnemonic: string): number => (pattern.test(mnemonic) ? 1 : 0);
}

interface Compared {
  readonly name: string;
  readonly counts: readonly (readonly [ptx: number, sass: number])[];
  readonly registers: readonly [estimate: number, ptxas: number];
}

function ptxOf(file: string): string {
  const [path = "", target = "cuda:90"] = file.split("@");
  const text = readFileSync(path, "latin1");
  if (path.endsWith(".ptx")) return text;
  const source = readSource({ name: path, text });
  if (source.kind !== "module") throw new Error(`${path}: no module`);
  const made = compile(source, { target, artifacts: ["ptx"] });
  if (made.kind === "error" || !made.ok) throw new Error(`${path} does not compile`);
  return made.trace.artifacts.ptx!;
}

function compared(path: string, tools: string, folder: string): Compared {
  const ptx = ptxOf(path);
  const gpu = /^\s*\.target\s+(\w+)/m.exec(ptx)![1]!;
  const [input, output] = [join(folder, "kernel.ptx"), join(folder, "kernel.cubin")];
  writeFileSync(input, ptx, "latin1");
  const ptxas = join(tools, /^sm_1/.test(gpu) ? "ptxas-blackwell" : "ptxas");
  execFileSync(ptxas, [`--gpu-name=${gpu}`, input, "-o", output], { stdio: "pipe" });
  const usage = execFileSync(join(tools, "cuobjdump"), ["-res-usage", output], { encoding: "latin1" });
  const code = readSass(execFileSync(join(tools, "cuobjdump"), ["-sass", output], { encoding: "latin1", maxBuffer: 2 ** 28 }));
  // Between some instructions ptxas places others that are never executed: `@!PT LDS RZ, [RZ]`.
  const opcodes = code.flatMap(({ text }) => /^\/\*\w+\*\/\s+(?!@!U?PT)(?:@!?\w+\s+)?(\S+)/.exec(text)?.[1] ?? []);
  const { module, source } = parsePtx(ptx);
  const program = compileProgram(module, source);
  if ("error" in program) throw new Error(`${path}: ${program.error}`);
  return {
    name: `${basename(dirname(path))}/${basename(path)}`,
    counts: KINDS.map(([, inPtx, sass]) => [
      program.sites.reduce((sum, { mnemonic }) => sum + inPtx(mnemonic), 0),
      opcodes.filter((opcode) => sass.test(opcode)).length,
    ]),
    registers: [estimateRegisters(ptx) ?? Number.NaN, Number(/REG:(\d+)/.exec(usage)?.[1])],
  };
}

function main([tools, ...paths]: readonly string[]): void {
  if (tools === undefined || paths.length === 0) throw new Error("expected the folder of ptxas and cuobjdump, and files of PTX or TTIR");
  const folder = mkdtempSync(join(tmpdir(), "sass-"));
  const rows: Compared[] = [];
  for (const path of paths)
    try {
      rows.push(compared(path, tools, folder));
    } catch (error) {
      console.error(`${path}: ${(error as Error).message.split("\n")[0]}`);
    }
  rmSync(folder, { recursive: true });
  console.log(`${rows.length} kernels\n${"kind".padEnd(24)}    in PTX  in SASS  kernels with as many, of those that have some`);
  KINDS.forEach(([name], i) => {
    const counts = rows.map(({ counts: all }) => all[i]!).filter(([a, b]) => a + b > 0);
    const sum = (at: 0 | 1) => counts.reduce((n, pair) => n + pair[at], 0);
    const equal = counts.filter(([a, b]) => a === b).length;
    console.log(`${name.padEnd(24)} ${String(sum(0)).padStart(9)} ${String(sum(1)).padStart(8)}  ${equal} of ${counts.length}`);
  });
  const ratios = rows.map(({ registers: [a, b] }) => a / b).sort((a, b) => a - b);
  const at = (share: number) => ratios[Math.min(Math.floor(share * ratios.length), ratios.length - 1)]!.toFixed(2);
  const near = ratios.filter((r) => r >= 0.8 && r <= 1.25).length;
  console.log(`registers, estimate to ptxas: median ${at(0.5)}, p10 ${at(0.1)}, p90 ${at(0.9)}; within 25 %: ${near} of ${ratios.length}`);
  if (process.env["EACH"])
    for (const { name, counts, registers } of rows)
      console.log(
        name,
        registers.join("/"),
        counts
          .map(([a, b], i) => (a === b ? "" : `${KINDS[i]![0]} ${a}/${b}`))
          .filter(Boolean)
          .join(", "),
      );
}

main(process.argv.slice(2));
