/**
 * GPUs as they are sold, one record each: the numbers that bounds on a kernel's time need. Each number has its source beside it;
 * `undefined` is a number that nobody has published. docs/limits.md says which were confirmed by a text that could be read, and which not.
 *
 * Rates of an SM are per clock. Tensor rates are dense floating-point operations (a multiply and an add are two), as data sheets give
 * them for the whole GPU, divided by SMs and the clock that the data sheet names.
 */
import { amdGpuOf, archOf } from "./amd.js";
import { capabilityOf, gpuOf } from "./nvidia.js";

/** The products of tensor cores by the types that they multiply; `acc16` adds up in f16. On AMD's GPUs tf32 is xf32, and fp6 is as fast as fp4. */
export type TensorKind = "f16" | "f16 acc16" | "tf32" | "fp8" | "fp8 acc16" | "fp4" | "int8" | "f32" | "f64";
/** Units of an SM that instructions are issued to. */
export type Pipe = "fma" | "imul" | "alu" | "half" | "fp64" | "sfu" | "lsu" | "tensor" | "branch";

/** A GPU product. */
export interface GpuProduct {
  /** As `--gpu` names it. */
  readonly name: string;
  readonly title: string;
  /** The target to compile for: `cuda:90`. */
  readonly target: string;
  /** SMs, or compute units of AMD's; work group processors of RDNA. */
  readonly sms: number;
  /** MHz: the highest that it boosts to, and the base clock. */
  readonly boostMhz: number;
  readonly baseMhz: number | undefined;
  /** Bytes a second between DRAM and L2. */
  readonly dramBytesPerSecond: number;
  /** The size of the last cache before DRAM. */
  readonly l2Bytes: number;
  /** Bytes a clock that L2 gives to all SMs together. */
  readonly l2BytesPerClock: number | undefined;
  /** Clocks from a load's issue to its data, where DRAM has it. */
  readonly dramLatencyClocks: number | undefined;
  /** Operations a clock of one SM. */
  readonly tensor: Readonly<Partial<Record<TensorKind, number>>>;
  readonly sources: Readonly<Record<ProductNumber, string>>;
}
type ProductNumber = "sms" | "boostMhz" | "baseMhz" | "dramBytesPerSecond" | "l2Bytes" | "l2BytesPerClock" | "dramLatencyClocks" | "tensor";

const GB = 1e9;
const MIB = 2 ** 20;
const HOPPER_LATENCIES = "Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, arXiv 2402.13499, table IV";

const A100 = {
  target: "cuda:80",
  sms: 108,
  boostMhz: 1410,
  l2Bytes: 40 * MIB,
  l2BytesPerClock: 5120,
  dramLatencyClocks: 466,
  tensor: { f16: 2048, "f16 acc16": 2048, tf32: 1024, int8: 4096, f64: 128 },
} as const;
const A100_SOURCES = {
  sms: "NVIDIA A100 architecture white paper, table 4",
  boostMhz: "A100 white paper, table 4: boost clock",
  l2Bytes: "A100 white paper, table 4: 40960 KB",
  l2BytesPerClock: "A100 white paper, page 35: L2 reads, 5120 bytes a clock",
  dramLatencyClocks: `${HOPPER_LATENCIES}: 466.3 on an A100 PCIe`,
  tensor: "A100 data sheet: 312 TFLOPS of f16 and bf16, 156 of tf32, 19.5 of f64, 624 TOPS of int8, without sparsity, at 1410 MHz",
} as const;
const HOPPER_TENSOR = { f16: 4096, "f16 acc16": 4096, tf32: 2048, fp8: 8192, "fp8 acc16": 8192, int8: 8192, f64: 256 } as const;
const H100_SOURCES = {
  sms: "NVIDIA H100 architecture white paper, table 3",
  boostMhz: "H100 data sheet: 67 TFLOPS of f32 = 2 x 132 x 128 x 1980 MHz; tensor cores are rated at 1830 MHz",
  l2Bytes: "H100 white paper, table 3: 50 MB",
  l2BytesPerClock: "not published; the SMs' ports bound it. Luo et al. measured 4472 on an H800",
  dramLatencyClocks: `${HOPPER_LATENCIES}: 478.8 on an H800 PCIe`,
  tensor: "H100 data sheet: 989 TFLOPS of f16 and bf16, 495 of tf32, 1979 of fp8, 67 of f64, without sparsity, at 1830 MHz (f64: 1980)",
} as const;

const MI300 = {
  target: "hip:gfx942",
  sms: 304,
  boostMhz: 2100,
  baseMhz: undefined,
  l2Bytes: 256 * MIB,
  l2BytesPerClock: 8 * 2048,
  dramLatencyClocks: undefined,
  tensor: { f16: 2048, tf32: 1024, fp8: 4096, int8: 4096, f32: 256, f64: 256 },
} as const;
const MI300_SOURCES = {
  sms: "ROCm documentation, MI300 series microarchitecture: 8 XCDs of 38 compute units",
  boostMhz: "MI300X data sheet: peak engine clock",
  baseMhz: "not published",
  l2Bytes: "CDNA 3 white paper: 256 MB of Infinity Cache, between L2 and DRAM",
  l2BytesPerClock: "CDNA 3 white paper: the L2 of an XCD gives 2 KB a clock; there are 8",
  dramLatencyClocks: "not published",
  tensor:
    "ROCm documentation, MI300 series microarchitecture: operations a clock of a compute unit, f16 1307.4 TFLOPS, fp8 and int8 2614.9",
} as const;
const MI350 = {
  target: "hip:gfx950",
  sms: 256,
  baseMhz: undefined,
  dramBytesPerSecond: 8000 * GB,
  l2Bytes: 256 * MIB,
  l2BytesPerClock: undefined,
  dramLatencyClocks: undefined,
  tensor: { f16: 4096, fp8: 8192, fp4: 16384, int8: 8192, f32: 256, f64: 128 },
  sources: {
    sms: "CDNA 4 white paper: 8 XCDs of 32 compute units",
    boostMhz: "MI350X and MI355X data sheets: peak engine clock, 2200 and 2400 MHz",
    baseMhz: "not published",
    dramBytesPerSecond: "MI350X and MI355X data sheets: 8 TB/s",
    l2Bytes: "CDNA 4 white paper: 256 MB of Infinity Cache, between L2 and DRAM",
    l2BytesPerClock: "not found in a text",
    dramLatencyClocks: "not published",
    tensor:
      "MI355X data sheet: 2.5 PFLOPS of f16, 5 of fp8 and int8, 10 of fp6 and fp4, 157.3 TFLOPS of f32, 78.6 of f64, without sparsity",
  },
} as const;

/** One of the two dies of a package is a device of its own. */
const MI200 = {
  target: "hip:gfx90a",
  boostMhz: 1700,
  baseMhz: undefined,
  l2Bytes: 8 * MIB,
  l2BytesPerClock: undefined,
  dramLatencyClocks: undefined,
  tensor: { f16: 1024, int8: 1024, f32: 256, f64: 256 },
} as const;
const MI200_SOURCES = {
  boostMhz: "ROCm documentation, MI250 microarchitecture: 1.7 GHz",
  baseMhz: "not published",
  l2Bytes: "CDNA 2 white paper: 8 MB of L2 for each die",
  l2BytesPerClock: "not found in a text",
  dramLatencyClocks: "not published",
  tensor: "MI210 data sheet: 181.0 TFLOPS of f16 and TOPS of int8, 45.3 of f32 and f64, on 104 compute units; MI250X has 383.0 on 220",
} as const;

/** All products, the oldest first, NVIDIA's before AMD's. */
export const GPU_PRODUCTS: readonly GpuProduct[] = [
  {
    name: "t4",
    title: "T4",
    target: "cuda:75",
    sms: 40,
    boostMhz: 1590,
    baseMhz: 585,
    dramBytesPerSecond: 320 * GB,
    l2Bytes: 4 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 434,
    tensor: { f16: 1024, "f16 acc16": 1024, int8: 2048 },
    sources: {
      sms: "NVIDIA Turing architecture white paper, appendix on T4",
      boostMhz: "T4 product brief",
      baseMhz: "T4 product brief",
      dramBytesPerSecond: "T4 product brief",
      l2Bytes: "Turing white paper",
      l2BytesPerClock: "not published; the SMs' ports bound it",
      dramLatencyClocks: "Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking, 2019",
      tensor: "T4 data sheet: 65 TFLOPS of f16, 130 TOPS of int8",
    },
  },
  {
    ...A100,
    name: "a100",
    title: "A100 SXM 80 GB",
    baseMhz: undefined,
    dramBytesPerSecond: 2039 * GB,
    sources: {
      ...A100_SOURCES,
      baseMhz: "no text was found: the boost clock is taken",
      dramBytesPerSecond: "A100 data sheet, 80 GB SXM: 2,039 GB/s",
    },
  },
  {
    ...A100,
    name: "a100-40gb",
    title: "A100 40 GB",
    baseMhz: 765,
    dramBytesPerSecond: 1555 * GB,
    sources: {
      ...A100_SOURCES,
      baseMhz: "A100 PCIe product brief; TechPowerUp has 1095 for SXM",
      dramBytesPerSecond: "A100 white paper, table 4: 1555 GB/s",
    },
  },
  {
    name: "l40s",
    title: "L40S",
    target: "cuda:89",
    sms: 142,
    boostMhz: 2520,
    baseMhz: 1110,
    dramBytesPerSecond: 864 * GB,
    l2Bytes: 96 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 541,
    tensor: { f16: 1024, "f16 acc16": 1024, tf32: 512, fp8: 2048, "fp8 acc16": 2048, int8: 2048 },
    sources: {
      sms: "L40S product brief: 18176 CUDA cores, 128 to an SM",
      boostMhz: "L40S product brief",
      baseMhz: "L40S product brief",
      dramBytesPerSecond: "L40S data sheet",
      l2Bytes: "Ada white paper: full AD102, 98304 KB; arXiv 2606.22588 has 96 MiB for the L40; TechPowerUp has 48 MB for the L40S",
      l2BytesPerClock: "not published; the SMs' ports bound it",
      dramLatencyClocks: `${HOPPER_LATENCIES}: that of the RTX 4090`,
      tensor: "L40S data sheet: 362 TFLOPS of f16, 183 of tf32, 733 of fp8, without sparsity",
    },
  },
  {
    name: "rtx4090",
    title: "GeForce RTX 4090",
    target: "cuda:89",
    sms: 128,
    boostMhz: 2520,
    baseMhz: 2230,
    dramBytesPerSecond: 1008 * GB,
    l2Bytes: 72 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 541,
    tensor: { f16: 512, "f16 acc16": 1024, tf32: 256, fp8: 1024, "fp8 acc16": 2048, int8: 2048 },
    sources: {
      sms: "Ada white paper, table of RTX 4090",
      boostMhz: "Ada white paper",
      baseMhz: "NVIDIA's page of the RTX 4090",
      dramBytesPerSecond: "Ada white paper",
      l2Bytes: "Ada white paper",
      l2BytesPerClock: "not published; the SMs' ports bound it",
      dramLatencyClocks: HOPPER_LATENCIES,
      tensor: "Ada white paper: 165 TFLOPS of f16 added up in f32, 330 in f16; 330 and 661 of fp8; 83 of tf32",
    },
  },
  {
    name: "h100",
    title: "H100 SXM",
    target: "cuda:90",
    sms: 132,
    boostMhz: 1980,
    baseMhz: undefined,
    dramBytesPerSecond: 3350 * GB,
    l2Bytes: 50 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 479,
    tensor: HOPPER_TENSOR,
    sources: { ...H100_SOURCES, baseMhz: "not published", dramBytesPerSecond: "H100 data sheet, SXM" },
  },
  {
    name: "h100-pcie",
    title: "H100 PCIe",
    target: "cuda:90",
    sms: 114,
    boostMhz: 1755,
    baseMhz: 1095,
    dramBytesPerSecond: 2000 * GB,
    l2Bytes: 50 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 479,
    tensor: HOPPER_TENSOR,
    sources: {
      ...H100_SOURCES,
      boostMhz: "H100 PCIe product brief",
      baseMhz: "H100 PCIe product brief",
      dramBytesPerSecond: "H100 data sheet, PCIe",
    },
  },
  {
    name: "h200",
    title: "H200 SXM",
    target: "cuda:90",
    sms: 132,
    boostMhz: 1980,
    baseMhz: undefined,
    dramBytesPerSecond: 4800 * GB,
    l2Bytes: 50 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 479,
    tensor: HOPPER_TENSOR,
    sources: { ...H100_SOURCES, baseMhz: "not published", dramBytesPerSecond: "H200 data sheet", tensor: "H200 data sheet: as H100" },
  },
  {
    name: "b200",
    title: "B200 SXM",
    target: "cuda:100",
    sms: 148,
    boostMhz: 1965,
    baseMhz: undefined,
    dramBytesPerSecond: 8000 * GB,
    l2Bytes: 126 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: 479,
    tensor: { f16: 8192, "f16 acc16": 8192, tf32: 4096, fp8: 16384, "fp8 acc16": 16384, fp4: 32768, int8: 16384, f64: 128 },
    sources: {
      sms: "not in a data sheet; the CUDA runtime's answer in pytorch/ao pull request 4002",
      boostMhz: "not in a data sheet; the highest SM clock in public records of B200 benchmarks",
      baseMhz: "not published",
      dramBytesPerSecond: "DGX B200 data sheet, an eighth of 64 TB/s; by the bus and clock in pytorch/ao pull request 4002 it is 7.67 TB/s",
      l2Bytes: "NVIDIA Blackwell tuning guide: 126 MB",
      l2BytesPerClock: "not published; the SMs' ports bound it",
      dramLatencyClocks: "not published: the H100's is taken",
      tensor: "HGX B200 data sheet: 2.25 PFLOPS of f16, 1.1 of tf32, 4.5 of fp8 and int8, 9 of fp4, 40 TFLOPS of f64, without sparsity",
    },
  },
  {
    ...MI200,
    name: "mi210",
    title: "Instinct MI210",
    sms: 104,
    dramBytesPerSecond: 1638.4 * GB,
    sources: {
      ...MI200_SOURCES,
      sms: "MI210 data sheet: 104 compute units",
      dramBytesPerSecond: "MI210 data sheet: 1.6 TB/s, 4096 bits at 3.2 Gbit/s",
    },
  },
  {
    ...MI200,
    name: "mi250x",
    title: "Instinct MI250X, one of its two dies",
    sms: 110,
    dramBytesPerSecond: 1638.4 * GB,
    sources: {
      ...MI200_SOURCES,
      sms: "MI250X data sheet: 220 compute units on two dies",
      dramBytesPerSecond: "MI250X data sheet: 3.2 TB/s for two dies",
    },
  },
  {
    name: "rx7900xtx",
    title: "Radeon RX 7900 XTX",
    target: "hip:gfx1100",
    sms: 48,
    boostMhz: 2500,
    baseMhz: undefined,
    dramBytesPerSecond: 960 * GB,
    l2Bytes: 96 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: undefined,
    tensor: { f16: 1024, int8: 1024 },
    sources: {
      sms: "RX 7900 XTX product page: 96 compute units, two to a work group processor",
      boostMhz: "RX 7900 XTX product page: boost frequency",
      baseMhz: "not published",
      dramBytesPerSecond: "RX 7900 XTX product page: 960 GB/s",
      l2Bytes: "RX 7900 XTX product page: 96 MB of Infinity Cache, between L2 and DRAM",
      l2BytesPerClock: "not found in a text",
      dramLatencyClocks: "not published by AMD",
      tensor:
        "AMD GPUOpen, How to accelerate AI applications on RDNA 3 using WMMA: 512 operations a clock of a compute unit, of f16, bf16 and int8",
    },
  },
  {
    ...MI300,
    name: "mi300x",
    title: "Instinct MI300X",
    dramBytesPerSecond: 5325 * GB,
    sources: { ...MI300_SOURCES, dramBytesPerSecond: "MI300X data sheet: 5.325 TB/s" },
  },
  {
    ...MI300,
    name: "mi325x",
    title: "Instinct MI325X",
    dramBytesPerSecond: 6000 * GB,
    sources: { ...MI300_SOURCES, dramBytesPerSecond: "MI325X data sheet: 6 TB/s" },
  },
  { ...MI350, name: "mi350x", title: "Instinct MI350X", boostMhz: 2200 },
  { ...MI350, name: "mi355x", title: "Instinct MI355X", boostMhz: 2400 },
  {
    name: "rx9070xt",
    title: "Radeon RX 9070 XT",
    target: "hip:gfx1201",
    sms: 32,
    boostMhz: 2970,
    baseMhz: undefined,
    dramBytesPerSecond: 640 * GB,
    l2Bytes: 64 * MIB,
    l2BytesPerClock: undefined,
    dramLatencyClocks: undefined,
    tensor: { f16: 2048, fp8: 4096, int8: 4096 },
    sources: {
      sms: "RX 9070 XT product page: 64 compute units, two to a work group processor",
      boostMhz: "RX 9070 XT product page: boost frequency",
      baseMhz: "not published",
      dramBytesPerSecond: "RX 9070 XT product page: 640 GB/s",
      l2Bytes: "RX 9070 XT product page: 64 MB of Infinity Cache, between L2 and DRAM",
      l2BytesPerClock: "not found in a text",
      dramLatencyClocks: "not published by AMD",
      tensor: "RX 9070 XT product page: 195 TFLOPS of f16, 389 TFLOPS of fp8 and TOPS of int8, without sparsity",
    },
  },
];

/** The product of that name; undefined for one that has no record. */
export const productCalled = (name: string): GpuProduct | undefined => GPU_PRODUCTS.find((product) => product.name === name.toLowerCase());

/** The product whose bounds are given where none is named: the one that its target is best known by. */
const BEST_KNOWN: ReadonlyMap<string, string> = new Map([
  ["cuda:75", "t4"],
  ["cuda:80", "a100"],
  ["cuda:89", "l40s"],
  ["cuda:90", "h100"],
  ["cuda:100", "b200"],
  ["hip:gfx90a", "mi210"],
  ["hip:gfx942", "mi300x"],
  ["hip:gfx950", "mi355x"],
  ["hip:gfx1100", "rx7900xtx"],
  ["hip:gfx1201", "rx9070xt"],
]);
/** The product of a target; undefined where there is no record of one. */
export const productOf = (target: string): GpuProduct | undefined => productCalled(BEST_KNOWN.get(target) ?? "");

/** The resources of an SM that warps share. Source: CUDA C++ Programming Guide, technical specifications per compute capability. */
export interface SmLimits {
  readonly warps: number;
  readonly ctas: number;
  readonly registers: number;
  /** Registers are given to a warp in so many. */
  readonly registerUnit: number;
  readonly registersPerThread: number;
  readonly sharedBytes: number;
  /** Shared memory is given to a CTA in so many bytes, and the system takes some of each CTA's. */
  readonly sharedUnit: number;
  readonly sharedReserved: number;
  /** Columns of tensor memory; 0 where there is none. */
  readonly tensorColumns: number;
}

/** The limits of an SM of a capability. */
export function smLimits(capability: number): SmLimits {
  const { registersPerSm, sharedMemoryPerSm, capability: row } = gpuOf(capability);
  const warps = row === 75 ? 32 : row === 86 || row === 87 || row === 89 || row === 120 ? 48 : 64;
  return {
    warps,
    ctas: row === 86 || row === 75 || row === 87 ? 16 : row === 89 || row === 120 ? 24 : 32,
    registers: registersPerSm,
    registerUnit: 256,
    registersPerThread: 255,
    sharedBytes: sharedMemoryPerSm,
    sharedUnit: row === 75 ? 256 : 128,
    sharedReserved: row === 75 ? 0 : 1024,
    tensorColumns: row === 100 ? 512 : 0,
  };
}

/**
 * Lanes that an SM serves a clock, by pipe. Source: CUDA C++ Programming Guide, throughput of native arithmetic instructions; `lsu` is the
 * number of load and store units in the architectures' white papers. `half` counts pairs of halves.
 */
function smRates(capability: number): Readonly<Record<Exclude<Pipe, "tensor">, number>> {
  const { capability: row } = gpuOf(capability);
  const wide = row === 86 || row === 87 || row === 89 || row === 90 || row === 100 || row === 120;
  return {
    fma: wide ? 128 : 64,
    imul: 64,
    alu: 64,
    half: row === 80 || row === 90 || row === 100 ? 128 : 64,
    fp64: row === 90 || row === 100 ? 64 : row === 80 ? 32 : 2,
    sfu: 16,
    lsu: row === 75 ? 16 : 32,
    branch: 64,
  };
}

/** The part of a GPU that a program runs on, as bounds need it, with the names that its vendor uses. */
export interface UnitRates {
  readonly name: "SM" | "compute unit" | "work group processor";
  readonly one: "an SM" | "a compute unit" | "a work group processor";
  readonly program: "CTA" | "workgroup";
  readonly warps: "warps" | "waves";
  readonly shared: "shared memory" | "LDS";
  readonly matrix: "tensor cores" | "matrix cores";
  /** Threads of a warp. */
  readonly warpSize: number;
  /** Bytes of shared memory a clock. */
  readonly sharedBytes: number;
  /** Whether the wavefronts that are counted have its bank conflicts, and instructions are those of the machine but for what pipes.ts says. */
  readonly isCounted: boolean;
  /** Bytes that it takes from L2 a clock. */
  readonly portBytes: number | undefined;
  /** Warp instructions that it issues a clock. */
  readonly issues: number | undefined;
  /** Lanes that it serves a clock, by pipe. */
  readonly lanes: Readonly<Partial<Record<Exclude<Pipe, "tensor">, number>>>;
}

/** Issue: one instruction in each of four parts. The port to L2: A100 white paper; taken for all. */
const SM = {
  name: "SM",
  one: "an SM",
  program: "CTA",
  warps: "warps",
  shared: "shared memory",
  matrix: "tensor cores",
  warpSize: 32,
  sharedBytes: 128,
  isCounted: true,
  portBytes: 64,
  issues: 4,
} as const;
/** Lanes: 256 operations of f32 a clock and 128 of f64 in the vector units, ROCm documentation, MI300 series microarchitecture. LDS: 4 bytes of each bank. */
const COMPUTE_UNIT = {
  name: "compute unit",
  one: "a compute unit",
  program: "workgroup",
  warps: "waves",
  shared: "LDS",
  matrix: "matrix cores",
  isCounted: false,
  portBytes: undefined,
  issues: undefined,
  lanes: { fma: 128, fp64: 64 },
} as const;

/** Two compute units with 64 lanes each that may issue two operations at once, and an LDS of two halves. Lanes: RX 7900 XTX product page, 61.4 TFLOPS of f32; a 64th of them of f64. */
const WORK_GROUP_PROCESSOR = {
  ...COMPUTE_UNIT,
  name: "work group processor",
  one: "a work group processor",
  lanes: { fma: 256, fp64: 4 },
} as const;

/** The unit of a product. */
export function unitOf({ target }: Pick<GpuProduct, "target">): UnitRates {
  const amd = amdGpuOf(archOf(target) ?? "");
  if (amd) {
    const isPair = amd.unit.name === "work group processor";
    const sharedBytes = (isPair ? 8 : 4) * (amd.ldsBanks ?? Number.POSITIVE_INFINITY);
    return { ...(isPair ? WORK_GROUP_PROCESSOR : COMPUTE_UNIT), warpSize: amd.warpSize, sharedBytes };
  }
  return { ...SM, lanes: smRates(capabilityOf(target)!) };
}
