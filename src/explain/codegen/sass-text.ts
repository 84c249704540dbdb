/**
 * Instructions of NVIDIA's machine code in words, each found by its opcode. In own words; the names are those of the table
 * "Instruction Set Reference" of NVIDIA's "CUDA Binary Utilities".
 */
import type { NameText } from "../texts/index.js";

const FLOAT = "Floating Point Instructions";
const INTEGER = "Integer Instructions";
const CONVERSION = "Conversion Instructions";
const MOVE = "Movement Instructions";
const PREDICATE = "Predicate Instructions";
const MEMORY = "Load/Store Instructions";
const UNIFORM = "Uniform Datapath Instructions";
const CONTROL = "Control Instructions";
const MATRIX = "Warpgroup and Tensor Core Instructions";
const MISC = "Miscellaneous Instructions";

const SASS: Readonly<Record<string, readonly [section: string, meaning: string, operands: string]>> = {
  FADD: [FLOAT, "Sum of two floats of 32 bits.", "d, a, b"],
  FMUL: [FLOAT, "Product of two floats of 32 bits.", "d, a, b"],
  FFMA: [FLOAT, "a * b + c of floats of 32 bits, rounded once.", "d, a, b, c"],
  FMNMX: [FLOAT, "The smaller or the larger of two floats: the predicate says which.", "d, a, b, p"],
  FSEL: [FLOAT, "One of two floats, by a predicate.", "d, a, b, p"],
  FSETP: [FLOAT, "Compares floats, and writes predicates.", "p, q, a, b, r"],
  FSET: [FLOAT, "Compares floats, and writes a mask or 1.0.", "d, a, b, p"],
  FCHK: [FLOAT, "Whether a division needs the slow path.", "p, a, b"],
  MUFU: [
    FLOAT,
    "A function of the special function unit: reciprocal (.RCP), root (.RSQ), 2 to the power (.EX2), logarithm (.LG2), sine, tanh. A quarter of the rate of FFMA or less.",
    "d, a",
  ],
  HADD2: [FLOAT, "Two sums of halves at once.", "d, a, b"],
  HMUL2: [FLOAT, "Two products of halves at once.", "d, a, b"],
  HFMA2: [
    FLOAT,
    "Two a * b + c of halves at once. With RZ and a constant it is a way to load that constant: ptxas spreads work over pipes.",
    "d, a, b, c",
  ],
  HMNMX2: [FLOAT, "Two minima or maxima of halves.", "d, a, b, p"],
  HSETP2: [FLOAT, "Compares two pairs of halves, and writes predicates.", "p, q, a, b, r"],
  DADD: [FLOAT, "Sum of doubles: slow on all but the large GPUs.", "d, a, b"],
  DMUL: [FLOAT, "Product of doubles.", "d, a, b"],
  DFMA: [FLOAT, "a * b + c of doubles.", "d, a, b, c"],
  DSETP: [FLOAT, "Compares doubles.", "p, q, a, b, r"],
  HMMA: [MATRIX, "A warp's product of matrices of 16-bit floats or TF32 on the tensor cores: what mma.sync becomes.", "d, a, b, c"],
  IMMA: [MATRIX, "A warp's product of matrices of 8- or 4-bit integers on the tensor cores.", "d, a, b, c"],
  QMMA: [MATRIX, "A warp's product of matrices of 8-bit floats on the tensor cores.", "d, a, b, c"],
  DMMA: [MATRIX, "A warp's product of matrices of doubles on the tensor cores.", "d, a, b, c"],
  HGMMA: [MATRIX, "A warp group's product of 16-bit floats: what wgmma becomes.", "d, a, b, c"],
  QGMMA: [MATRIX, "A warp group's product of 8-bit floats.", "d, a, b, c"],
  IGMMA: [MATRIX, "A warp group's product of integers.", "d, a, b, c"],
  WARPGROUP: [MATRIX, "Orders a warp group's registers with wgmma: .ARRIVE before, .DEPBAR waits.", "barrier, count"],
  WARPSYNC: [CONTROL, "The lanes of a mask wait for each other.", "mask"],
  IADD3: [INTEGER, "Sum of three integers, with carries in predicates.", "d, a, b, c"],
  IMAD: [
    INTEGER,
    "a * b + c of integers. .MOV and .SHL are a move and a shift by the multiplier's pipe; .WIDE gives 64 bits.",
    "d, a, b, c",
  ],
  IABS: [INTEGER, "The value without its sign.", "d, a"],
  IMNMX: [INTEGER, "The smaller or the larger of two integers: the predicate says which.", "d, a, b, p"],
  VIMNMX: [INTEGER, "The smaller or the larger of two integers.", "d, a, b, p"],
  ISETP: [INTEGER, "Compares integers, and writes predicates, combined with another one.", "p, q, a, b, r"],
  LEA: [INTEGER, "(a << n) + b: an address of an array.", "d, a, b, n"],
  LOP3: [INTEGER, "Any function of three bits, for all 32 bits: the immediate is its table of truth.", "d, a, b, c, table"],
  SHF: [INTEGER, "Two registers moved together by some bits; also plain shifts.", "d, a, n, b"],
  SHL: [INTEGER, "Bits moved up.", "d, a, n"],
  SHR: [INTEGER, "Bits moved down.", "d, a, n"],
  POPC: [INTEGER, "How many bits are set.", "d, a"],
  FLO: [INTEGER, "The place of the highest bit that is set.", "d, a"],
  BREV: [INTEGER, "The bits in reverse order.", "d, a"],
  BMSK: [INTEGER, "A mask of so many bits from a place on.", "d, place, width"],
  SGXT: [INTEGER, "Extends a sign from some bit.", "d, a, n"],
  IDP: [INTEGER, "Dot product of bytes.", "d, a, b, c"],
  F2F: [CONVERSION, "A float as a float of another width.", "d, a"],
  F2FP: [CONVERSION, "Two floats into one register, as narrower ones.", "d, a, b"],
  F2I: [CONVERSION, "A float as an integer.", "d, a"],
  I2F: [CONVERSION, "An integer as a float.", "d, a"],
  I2FP: [CONVERSION, "An integer as a float, at the rate of FFMA.", "d, a"],
  I2I: [CONVERSION, "An integer of another width, held in its range.", "d, a"],
  FRND: [CONVERSION, "A float rounded to an integer.", "d, a"],
  MOV: [MOVE, "A register's value, a constant, or an argument: c[0x0][...] is the constant bank with the launch's arguments.", "d, a"],
  PRMT: [MOVE, "Any four of the eight bytes of two registers.", "d, a, selectors, b"],
  SEL: [MOVE, "One of two values, by a predicate.", "d, a, b, p"],
  SHFL: [MOVE, "A register of another lane of the warp.", "p, d, a, lane, clamp"],
  MOVM: [MOVE, "Transposes an 8x8 matrix that a warp holds.", "d, a"],
  S2R: [MOVE, "Reads a special register: SR_TID.X, SR_CTAID.X. It takes tens of cycles.", "d, register"],
  CS2R: [MOVE, "Reads a special register or zeroes 64 bits: two registers at once.", "d, register"],
  S2UR: [UNIFORM, "Reads a special register into a uniform one.", "d, register"],
  R2UR: [UNIFORM, "A register into a uniform one.", "d, a"],
  PLOP3: [PREDICATE, "Any function of three predicates.", "p, q, a, b, c, table"],
  P2R: [PREDICATE, "Predicates into a register.", "d, predicates, a, mask"],
  R2P: [PREDICATE, "A register into predicates.", "predicates, a, mask"],
  VOTE: [PREDICATE, "Whether a predicate holds in all or any lanes, or in which.", "d, p, a"],
  VOTEU: [PREDICATE, "As VOTE, into a uniform register.", "d, p, a"],
  MATCH: [PREDICATE, "Which lanes hold the same value.", "p, d, a"],
  REDUX: [MISC, "A reduction of integers across the lanes of a warp.", "d, a"],
  LDG: [MEMORY, "Loads from global memory. .128 is 16 bytes a thread, .E an address of 64 bits; without a width, 4 bytes.", "d, [address]"],
  STG: [MEMORY, "Stores to global memory. .128 is 16 bytes a thread.", "[address], a"],
  LDS: [MEMORY, "Loads from shared memory. Lanes that want different words of one bank wait for each other.", "d, [address]"],
  STS: [MEMORY, "Stores to shared memory.", "[address], a"],
  LDL: [MEMORY, "Loads from local memory: a spilled register, or an array of the thread.", "d, [address]"],
  STL: [MEMORY, "Stores to local memory: spills a register, or writes an array of the thread.", "[address], a"],
  LDC: [MEMORY, "Loads from a constant bank: arguments of the kernel.", "d, c[bank][offset]"],
  LD: [MEMORY, "Loads from a generic address.", "d, [address]"],
  ST: [MEMORY, "Stores to a generic address.", "[address], a"],
  LDSM: [MEMORY, "A warp loads 8x8 matrices from shared memory: what ldmatrix becomes. .M88.4 is four; .MT88 transposes.", "d, [address]"],
  STSM: [MEMORY, "A warp stores 8x8 matrices to shared memory: what stmatrix becomes.", "[address], a"],
  LDGSTS: [
    MEMORY,
    "Copies from global to shared memory past the registers: what cp.async becomes. .BYPASS leaves out L1.",
    "[shared], [global]",
  ],
  LDGDEPBAR: [MEMORY, "Closes a group of LDGSTS: cp.async.commit_group.", "none"],
  ATOM: [MEMORY, "Reads, changes and writes generic memory as one step.", "p, d, [address], a"],
  ATOMG: [MEMORY, "Reads, changes and writes global memory as one step, and returns what was there.", "p, d, [address], a"],
  ATOMS: [MEMORY, "Reads, changes and writes shared memory as one step.", "d, [address], a"],
  RED: [MEMORY, "As ATOMG, without a result.", "[address], a"],
  REDG: [MEMORY, "As ATOMG, without a result.", "[address], a"],
  UBLKCP: [MEMORY, "One thread starts to copy a block of bytes: cp.async.bulk.", "[to], [from], bytes"],
  UTMALDG: [MEMORY, "The tensor memory accelerator loads a box of a tensor into shared memory.", "[shared], [tensor map]"],
  UTMASTG: [MEMORY, "The tensor memory accelerator stores a box from shared memory.", "[tensor map], [shared]"],
  SYNCS: [MEMORY, "An operation of an mbarrier in shared memory: arrive, announce bytes, test a phase.", "p, [mbarrier], a"],
  CCTL: [MEMORY, "Tells a cache what to do with a line.", "[address]"],
  MEMBAR: [MEMORY, "Orders this thread's accesses of memory.", "none"],
  ERRBAR: [MEMORY, "Waits for errors of earlier accesses.", "none"],
  FENCE: [MEMORY, "Orders accesses by different paths.", "none"],
  ULDC: [UNIFORM, "Loads from a constant bank into a uniform register: one for the whole warp.", "d, c[bank][offset]"],
  UMOV: [UNIFORM, "Moves a uniform register.", "d, a"],
  UIADD3: [UNIFORM, "Sum of three uniform integers.", "d, a, b, c"],
  UIMAD: [UNIFORM, "a * b + c of uniform integers.", "d, a, b, c"],
  ULEA: [UNIFORM, "(a << n) + b in uniform registers.", "d, a, b, n"],
  ULOP3: [UNIFORM, "Any function of three uniform values.", "d, a, b, c, table"],
  USHF: [UNIFORM, "Shifts uniform registers.", "d, a, n, b"],
  UISETP: [UNIFORM, "Compares uniform integers.", "p, q, a, b, r"],
  USEL: [UNIFORM, "One of two uniform values.", "d, a, b, p"],
  UPRMT: [UNIFORM, "Any bytes of two uniform registers.", "d, a, selectors, b"],
  BRA: [CONTROL, "Goes on at a label; a branch to itself after EXIT is padding.", "label"],
  BRX: [CONTROL, "Goes on at an address in a register.", "a"],
  CALL: [CONTROL, "Calls a function.", "label"],
  RET: [CONTROL, "Returns from a function.", "a"],
  EXIT: [CONTROL, "Ends the thread.", "none"],
  BSSY: [CONTROL, "Names the place where lanes that part will meet again.", "barrier, label"],
  BSYNC: [CONTROL, "Lanes that have parted meet again here.", "barrier"],
  BREAK: [CONTROL, "Lanes leave the place where others meet.", "barrier"],
  YIELD: [CONTROL, "Lets other lanes or warps run.", "none"],
  NANOSLEEP: [CONTROL, "Pauses the thread.", "time"],
  BPT: [CONTROL, "A breakpoint or trap.", "a"],
  BAR: [MISC, "The threads of a CTA wait for each other, and see each other's writes.", "barrier"],
  B2R: [MISC, "Reads a barrier's result.", "d"],
  DEPBAR: [MISC, "Waits for earlier asynchronous instructions: with LDGSTS, at most so many groups may be under way.", "counter, count"],
  UCGABAR_ARV: [MISC, "The threads of a cluster: arrive.", "none"],
  UCGABAR_WAIT: [MISC, "The threads of a cluster: wait.", "none"],
  NOP: [MISC, "Nothing.", "none"],
};

/** An instruction of machine code in words, by its mnemonic (`LDG.E.128`); undefined for an unknown one. */
export function sassText(mnemonic: string): NameText | undefined {
  const opcode = mnemonic.split(".")[0]!;
  const found = Object.hasOwn(SASS, opcode) ? SASS[opcode] : undefined;
  if (!found) return undefined;
  const [section, meaning, operands] = found;
  return {
    title: mnemonic,
    lines: [meaning, "", `Operands: ${operands}`, `CUDA Binary Utilities, Instruction Set Reference: ${section}: ${opcode}`],
  };
}
