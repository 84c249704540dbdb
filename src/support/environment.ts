/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a variable's text means yes, in Triton's words for it. Source: include/triton/Tools/Sys/GetEnv.hpp, getBoolEnv. */
export const isOn = (text: string | undefined): boolean => ["on", "true", "1"].includes((text ?? "").toLowerCase());

/** Debug information says which variables values have. */
export const EXTRACTS_VARIABLES = "LLVM_EXTRACT_DI_LOCAL_VARIABLES";
