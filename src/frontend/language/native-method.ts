import type { HostFunction, PyValue } from "./values.js";

/** A method that needs no IR, as a function of the host. */
export function nativeMethod(
  name: string,
  call: (args: readonly PyValue[], named: ReadonlyMap<string, PyValue>) => PyValue,
  isConstexpr = false,
): HostFunction {
  return { kind: "host_function", name, constexpr: isConstexpr, data: { kind: "native", call } };
}
