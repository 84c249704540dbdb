/**
 * Instructions of AMD's GPUs in words, by the names that the codegen pane gives them from the LLVM dialect, which are close to those of
 * assembly. In own words after AMD's "CDNA3" and "RDNA4" Instruction Set Architecture documents.
 */
import { byName } from "../../support/by-name.js";

interface AmdInstruction {
  /** The beginning of the name; the first record that fits is taken. */
  readonly begins: string;
  readonly meaning: string;
}

const WAVE_TO_LDS =
  "The lanes of a wave copy to shared memory (LDS) without registers. On gfx942 and gfx950 the wave names one address, which the lanes fill in their order.";
const records: readonly (readonly [begins: string, meaning: string])[] = [
  ["buffer_load_lds", `${WAVE_TO_LDS} Past the end of the buffer it copies zeros.`],
  ["global_load_lds", WAVE_TO_LDS],
  ["global_load_async", "Each lane copies to shared memory (LDS), to a place of its own, without registers."],
  [
    "buffer_load",
    "Each lane loads from a buffer: an offset to a base that the wave shares. Past the end of the buffer it gets 0, so a mask needs no branch.",
  ],
  ["buffer_store", "Each lane stores to a buffer. Past the end of the buffer it stores nothing, so a mask needs no branch."],
  [
    "buffer_atomic",
    "Each lane changes a place of a buffer as one operation; with sc0 it gets what was there. Past the end nothing is done.",
  ],
  ["global_load", "Each lane loads from an address of its own, of 64 bits."],
  ["global_store", "Each lane stores to an address of its own, of 64 bits."],
  ["global_atomic", "Each lane changes global memory as one operation."],
  ["scratch_", "Memory of one lane: stack and spilled registers."],
  ["flat_", "An access by an address that may be in any memory."],
  [
    "ds_read_tr",
    "Lanes read rows of shared memory (LDS), and groups of them exchange what they read, so that each has a part of a column.",
  ],
  [
    "ds_read",
    "Each lane loads from shared memory (LDS). 64 bits a lane take two halves of the wave one after the other at the least, 128 bits four quarters.",
  ],
  ["ds_write", "Each lane stores to shared memory (LDS)."],
  ["ds_atomic", "Each lane changes shared memory (LDS) as one operation."],
  ["ds_bpermute", "Each lane gets the register of the lane that its index names, times 4; by way of the LDS unit, without memory."],
  ["ds_permute", "Each lane sends its register to the lane that its index names, times 4; by way of the LDS unit, without memory."],
  [
    "ds_swizzle",
    "Each lane gets the register of another one of its 32 lanes by a constant pattern; by way of the LDS unit, without memory.",
  ],
  [
    "update_dpp",
    "A move between near lanes (DPP), which costs no more than a move: within four lanes, along a row of 16, or to the next rows.",
  ],
  ["permlane", "Swaps or permutes rows of 16 or 32 lanes between registers."],
  ["readlane", "The register of one lane, for all."],
  ["readfirstlane", "The register of the first lane that is on, for all: LLVM may then keep it in a scalar register."],
  ["mfma", "A wave multiplies two matrices and adds the product to a third one. Each lane holds parts of all of them in registers."],
  [
    "wmma",
    "A wave of 32 lanes multiplies two matrices and adds the product to a third one. Each lane holds parts of all of them in registers.",
  ],
  ["s_barrier", "The waves of a workgroup wait for each other."],
  ["wave_barrier", "No instruction: LLVM moves none across it."],
  [
    "s_waitcnt",
    "Waits until at most so many operations are under way: vmcnt counts accesses of global memory, lgkmcnt those of shared memory.",
  ],
  ["s_wait", "Waits until at most so many operations of that counter are under way."],
];
export const AMD_INSTRUCTIONS: readonly AmdInstruction[] = records.map(([begins, meaning]) => ({ begins, meaning }));

const SUFFIXES: Readonly<Record<string, string>> = byName({
  sc0: "cache policy: together with sc1 the scope, from the wave to the system; of an atomic: return what was there",
  sc1: "cache policy: together with sc0 the scope, from the wave to the system",
  nt: "cache policy: not temporal, data that is used once",
});

/** The meaning of an instruction, and lines about its parts; undefined for a name of another kind. `v_mfma...` is the assembly's name. */
export function amdInstruction(mnemonic: string): { readonly meaning: string; readonly parts: readonly string[] } | undefined {
  const [name = "", ...policy] = mnemonic.replace(/^v_/, "").split(" ");
  const found = AMD_INSTRUCTIONS.find(({ begins }) => name.startsWith(begins));
  if (!found) return undefined;
  const bits = /\.b(\d+)$/.exec(name)?.[1];
  const parts = [
    ...(bits === undefined ? [] : [`  .b${bits}`.padEnd(12) + `bits that a lane moves at once: ${Number(bits) / 8} bytes`]),
    ...policy.flatMap((word) => (SUFFIXES[word] === undefined ? [] : [`  ${word}`.padEnd(12) + SUFFIXES[word]])),
  ];
  return { meaning: found.meaning, parts };
}
