/** The tabs of the codegen pane. */
export const CODEGEN_TABS = ["memory", "mma", "ptx", "sass", "compare", "why", "flow", "stats", "rewrites", "limits"] as const;
export type CodegenTab = (typeof CODEGEN_TABS)[number];

/** Whether a tab shows lines of code, and no items. */
export const isCode = (tab: CodegenTab): tab is "ptx" | "sass" => tab === "ptx" || tab === "sass";
