/**
 * Known values of modules that are not read: those about the GPU (taken from the target), the environment, and a program
 * that has just begun. By the dotted name that the value has in its module. Source: PyTorch's and Python's documentation.
 */
import { NVIDIA_GPUS } from "../../gpu/nvidia.js";
import { isKind, type PyValue, pythonTuple } from "../language/values.js";
import { native } from "./objects.js";

/** `capability`: of the target, 90 for cuda:90. */
export function factsOf(capability: number, env: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, PyValue> {
  const gpu = NVIDIA_GPUS.find((row) => row.capability === capability);
  const [major, minor] = [BigInt(Math.floor(capability / 10)), BigInt(capability % 10)];
  const name = gpu && `NVIDIA ${gpu.products.split(",")[0]}`;
  const sharedMemory = gpu && BigInt(gpu.sharedMemoryPerCta);
  const environment: PyValue = {
    kind: "dict",
    entries: new Map(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[`s${key}`, [key, value] as const]]))),
  };
  const properties = "torch.cuda.get_device_properties()";
  const all: Readonly<Record<string, PyValue | undefined>> = {
    "os.environ": environment,
    "os.getenv": native(
      "getenv",
      ([key = null, fallback = null]) =>
        (isKind(environment, "dict") ? environment.entries.get(`s${String(key)}`)?.[1] : undefined) ?? fallback,
    ),
    "sys.platform": "linux",
    "torch.version.hip": null,
    "torch.version.xpu": null,
    // The version that Triton 3.6's own ptxas is of.
    "torch.version.cuda": "12.8",
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
    [`${properties}.warp_size`]: 32n,
    "torch.are_deterministic_algorithms_enabled": returns(false),
    "transformers.utils.is_torch_npu_available": returns(false),
    ...Object.fromEntries(["xpu", "mps", "backends.mps", "hpu", "mtia"].map((other) => [`torch.${other}.is_available`, returns(false)])),
  };
  return new Map(Object.entries(all).filter((entry): entry is [string, PyValue] => entry[1] !== undefined));
}
const returns = (value: PyValue): PyValue => native("known", () => value);

/** The modules that torch has where it is built for another vendor's GPUs. */
const OTHER_VENDORS = new Set("corex dipu gcu maca mlu musa npu ptpu sdaa spyre supa".split(" ").map((name) => `torch.${name}`));
export const isAbsent = (name: string): boolean => OTHER_VENDORS.has(name);
