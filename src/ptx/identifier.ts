/** A symbol of LLVM as PTX can name it: `noinl.f(2,)` is `noinl_$_f_$_2_$__$_`. Source: llvm/lib/Target/NVPTX/NVPTXAssignValidGlobalNames.cpp. */
export function ptxIdentifier(symbol: string): string {
  return symbol.replace(/[^\w$]/g, "_$_");
}
