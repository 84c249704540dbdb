import type { Input } from "../protocol.js";

/** The name with the ending of the language that the text is in: a text of another language may have been pasted. */
export function nameFor({ name, text }: Pick<Input, "name" | "text">): string {
  const isIr =
    /^\s*(?:module\b|tt\.func|"builtin\.module"|#\w+ = |#loc|\/\/ -----\/\/)/m.test(text) &&
    !/^\s*(?:import|from|def|@triton)\b/m.test(text);
  const isPython = /^\s*(?:import triton|from triton|@triton\.jit|@jit)/m.test(text);
  if (isIr && name.endsWith(".py")) return "kernel.ttir";
  return isPython && !name.endsWith(".py") ? "kernel.py" : name;
}
