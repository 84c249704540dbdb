import type { Trace } from "../../compile/trace.js";
import type { Theme } from "../draw/theme.js";

/** A Trace as one page. */
export function traceHtml(trace: Trace, theme: Theme): string {
  return `<!doctype html><title>${trace.source.name}</title><body style="background:${theme.page[0]}">`;
}
