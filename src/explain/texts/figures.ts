/** Figures: the flow of an analysis, the chain of representations, the tree of encodings, double buffering, the stages of a dot. */
import { defaultOptions } from "../../backend/targets.js";
import { pipelineOf } from "../../compile/compile.js";
import type { Encoding } from "../../layout/encodings/encoding.js";
import { ENCODINGS } from "../../layout/encodings/index.js";
import type { Stage } from "../../trace/stage.js";
import { roundsDrawing } from "../derivations/pipelining.js";
import { typeDrawing } from "../parse-layout.js";
import { ENCODING_TEXTS } from "./attributes.js";

/** A figure: lines that begin with a space are drawn as they are. */
export interface Figure {
  readonly title: string;
  readonly lines: () => readonly string[];
}

export const FIGURES: Readonly<Record<string, Figure>> = {
  "axis-info": {
    title: "AxisInfo: how contiguity, divisibility and constancy are found",
    lines: () => [
      "Values are visited forwards, producers first. The numbers of a value hold in all programs and all iterations.",
      "",
      "  arguments                        ops                                loops",
      "  tt.divisibility of the argument  a rule of each kind of op: from    the first value and the one that is",
      "  (16 from the launch), or 1, 1, 1 the numbers of its operands        handed on meet: gcd of both, again",
      "          |                                  |                       until nothing changes",
      "          +--------------->-----------------+----------<------------------+",
      "                                            |",
      "                     contiguity, divisibility, constancy of each dimension",
      "                                            |",
      "             coalesce: elements of a thread    lowering: width of ld, st, cp.async",
      "",
      "tt-step KERNEL --axis-info shows it beside the IR, with the rule of each op and the numbers that it used.",
    ],
  },
  representations: {
    title: "The representations of a kernel, and what each adds",
    lines: () => [
      "  Python        the kernel as it is written",
      "    | the front end runs it as a program that makes IR",
      ...STAGES.flatMap(([stage, what, adds]) => [
        `  ${stage.padEnd(12)}  ${what}`,
        `    | passes: ${[80, 90, 100].map((capability) => `${passesOf(capability, stage)} on sm_${capability}`).join(", ")}; ${adds}`,
      ]),
      "  PTX           text for one thread: virtual registers, no bound on their number",
      "    | ptxas",
      "  cubin         machine code of one GPU: its registers, its schedule",
    ],
  },
  encodings: {
    title: "The encodings, each with a drawing of a small example",
    lines: () => GROUPS.flatMap(([group, what]) => ["", `${group}: ${what}`, ...encodingsOf(group)]).slice(1),
  },
  "double-buffering": {
    title: "Double buffering: copies of later iterations while one is computed",
    lines: () => [
      "A round of the loop sends the copy of the iteration after next, waits for its own, and computes. The copies of the first two iterations are sent before the loop.",
      "",
      ...roundsDrawing(["copy", "", "wait, use"]).map((line) => `  ${line}`),
      "",
      "Iteration i uses buffer i mod 2. Its buffer is free for iteration i + 2 when it has been read, which is before the copy of that is sent.",
      "  before   copy 0 -> buffer 0, commit; copy 1 -> buffer 1, commit",
      "  round i  wait until copy i is there; read buffer i mod 2; compute; copy i + 2 -> buffer i mod 2, commit",
      "",
      "--why of a loop after tritongpu-pipeline has its own rings, waits and rounds.",
    ],
  },
  "dot-stages": {
    title: "The stages of a dot, from global memory to tensor cores",
    lines: () => [
      "  stage  sm_80 (mma.sync)                        sm_90 (wgmma)                          sm_100 (tcgen05)",
      "  1      global memory: tt.load, #blocked        global memory: tensor descriptor       global memory: tensor descriptor",
      "  2      ttg.async_copy_global_to_local,         ttng.async_tma_copy_global_to_local,   ttng.async_tma_copy_global_to_local,",
      "         cp.async, #shared                       #nvmma_shared                          #nvmma_shared",
      "  3      ttg.local_load, ldmatrix, #dot_op       read by the instruction itself         read by the instruction itself",
      "  4      tt.dot, mma.sync, #mma in registers     ttng.warp_group_dot, wgmma,            ttng.tc_gen5_mma, tcgen05.mma,",
      "                                                 #mma in registers                      tensor memory",
      "",
      "tt-step KERNEL --codegen ends with this way for each dot of the kernel, with the instructions of each step.",
    ],
  },
};

const STAGES: readonly (readonly [stage: Stage, what: string, adds: string])[] = [
  ["ttir", "tensors: shapes and types, no threads", "convert-triton-to-tritongpu gives each tensor a layout"],
  [
    "ttgir",
    "tensors with layouts: which thread holds what; shared memory, barriers, tensor cores",
    "convert-triton-gpu-to-llvm writes the code of one thread",
  ],
  ["llir", "scalars and structs of registers, addresses, inline assembly: one thread", "translation to PTX"],
];
const passesOf = (capability: number, stage: Stage): number =>
  pipelineOf({ target: `cuda:${capability}`, options: defaultOptions(`cuda:${capability}`) }).filter((step) => step.stage === stage).length;

const GROUPS: readonly (readonly [group: Encoding["group"], what: string])[] = [
  ["distributed", "register, lane, warp, block -> element: who holds what"],
  ["matrix instructions", "the accumulator of a tensor core instruction"],
  ["shared memory", "offset, block -> element: what lies where"],
  ["tensor memory", "row, column -> element (Blackwell)"],
];

/** Rows and columns of an example that are shown. */
const SHOWN = { rows: 4, columns: 96 } as const;

function encodingsOf(group: Encoding["group"]): readonly string[] {
  return (Object.values(ENCODINGS) as readonly Encoding[])
    .filter((encoding) => encoding.group === group)
    .flatMap(({ dialect, kind, what }) => {
      const { example } = ENCODING_TEXTS[kind]!;
      const drawn = typeDrawing(example);
      const rows = drawn.slice(0, SHOWN.rows).map((row) => (row.length > SHOWN.columns ? `${row.slice(0, SHOWN.columns)} ...` : row));
      return [`  #${dialect}.${kind}: ${what}`, ...rows.map((row) => `    ${row}`), ...(drawn.length > SHOWN.rows ? ["    ..."] : [])];
    });
}
