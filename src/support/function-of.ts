/** Functions from texts that the program itself has made. */
import { interpreted } from "./interpreted.js";

/** The function of these parameters with this body, which is in the part of JavaScript that `interpreted.ts` knows. */
export function functionOf(parameters: readonly string[], body: string): (...args: readonly unknown[]) => unknown {
  return mayMakeCode() ? (new Function(...parameters, `"use strict"; ${body}`) as () => unknown) : interpreted(parameters, body);
}

let known: boolean | undefined;
/** Whether text may become code. Where a Content Security Policy forbids it, texts are interpreted: the results are the same, slower. */
function mayMakeCode(): boolean {
  if (known !== undefined) return known;
  try {
    new Function("");
    known = true;
  } catch {
    known = false;
  }
  return known;
}
