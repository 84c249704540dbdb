/**
 * Known values of modules that are not read: those about the GPU (taken from the target), the environment, and a program
 * that has just begun. By the dotted name that the value has in its module. Source: PyTorch's and Python's documentation.
 */
import type { Gpu } from "../../gpu/gpu.js";
import { dictKey, pyDict } from "../language/python-text.js";
import { type PyValue, pythonTuple } from "../language/values.js";
import { native } from "./objects.js";
import { FINFO, IINFO } from "./torch-types.js";

export function factsOf(
  { backend, arch, warpSize, sharedMemoryPerCta, cuda }: Gpu,
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, PyValue> {
  // gfx942 is 9.4 to torch: the last two characters are minor version and stepping.
  const [major = 0n, minor = 0n] = (
    typeof arch === "number" ? [Math.floor(arch / 10), arch % 10] : [arch.slice(3, -2), `0x${arch.at(-2)}`]
  ).map(BigInt);
  const name = cuda && sharedMemoryPerCta !== undefined ? `NVIDIA ${cuda.products.split(",")[0]}` : undefined;
  const sharedMemory = sharedMemoryPerCta === undefined ? undefined : BigInt(sharedMemoryPerCta);
  const environment = pyDict(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
  const properties = "torch.cuda.get_device_properties()";
  const all: Readonly<Record<string, PyValue | undefined>> = {
    "os.environ": environment,
    "os.getenv": native("getenv", ([key = null, fallback = null]) => environment.entries.get(dictKey(key))?.[1] ?? fallback),
    "sys.platform": "linux",
    // Whether it is built for ROCm is known, and its version is not: any text will do.
    "torch.version.hip": backend === "hip" ? "7.0" : null,
    "torch.version.xpu": null,
    // The version that Triton 3.6's own ptxas is of.
    "torch.version.cuda": backend === "hip" ? null : "12.8",
    "torch.cuda.is_available": returns(true),
    "torch.cuda.device_count": returns(1n),
    "torch.cuda.current_device": returns(0n),
    "torch.cuda.get_device_capability": returns(pythonTuple([major, minor])),
    "torch.cuda.get_device_name": name === undefined ? undefined : returns(name),
    "torch.cuda.get_device_properties": returns({
      kind: "opaque",
      what: properties,
      why: "not all that torch says of a GPU is known to tt-step",
    }),
    [`${properties}.major`]: major,
    [`${properties}.minor`]: minor,
    [`${properties}.name`]: name,
    [`${properties}.shared_memory_per_block_optin`]: sharedMemory,
    [`${properties}.warp_size`]: BigInt(warpSize),
    [`${properties}.gcnArchName`]: backend === "hip" ? `${arch}:sramecc+:xnack-` : undefined,
    ...Object.fromEntries(["torch", "numpy"].flatMap((module) => NUMBERS.map(([name, value]) => [`${module}.${name}`, value]))),
    "torch.finfo": FINFO,
    "torch.iinfo": IINFO,
    "torch.are_deterministic_algorithms_enabled": returns(false),
    "transformers.utils.is_torch_npu_available": returns(false),
    ...Object.fromEntries(["xpu", "mps", "backends.mps", "hpu", "mtia"].map((other) => [`torch.${other}.is_available`, returns(false)])),
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, PyValue] => entry[1] !== undefined));
}
const NUMBERS = [
  ["pi", Math.PI],
  ["e", Math.E],
  ["inf", Number.POSITIVE_INFINITY],
  ["nan", Number.NaN],
] as const;
const returns = (value: PyValue): PyValue => native("known", () => value);

/** The modules that torch has where it is built for another vendor's GPUs. */
const OTHER_VENDORS = new Set("corex dipu gcu maca mlu musa npu ptpu sdaa spyre supa".split(" ").map((name) => `torch.${name}`));
export const isAbsent = (name: string): boolean => OTHER_VENDORS.has(name);
