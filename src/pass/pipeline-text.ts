/** Pipelines as text: `builtin.module(inline, tt.func(canonicalize{top-down=false}))`. Source: mlir/lib/Pass/PassRegistry.cpp. */
import { LIMITS, limitMessage } from "../support/limits.js";
import { type PassDef, type PassStep, stepText } from "./define-pass.js";
import { parseOptions, withDefaults } from "./options.js";
import type { PipelineElement } from "./pass-manager.js";

export type PipelineResult = { readonly elements: readonly PipelineElement[] } | { readonly error: string; readonly at: number };

/** Reads the text of a pipeline; `find` looks a pass up by its flag. */
export function parsePipeline(text: string, find: (flag: string) => PassDef | undefined): PipelineResult {
  const reader = new PipelineReader(text, find);
  const elements = reader.elements("");
  return reader.error ?? { elements };
}

/** A step from a flag and the text of its options, or what is wrong. */
export function parseStep(pass: PassDef, options: string): PassStep | { readonly error: string } {
  const parsed = parseOptions(pass.options, options);
  if ("error" in parsed) return { error: `${pass.flag}: ${parsed.error}` };
  return { kind: "pass", pass, options: withDefaults(pass.options, parsed.values) };
}

/** The text of a pipeline as `--pass-pipeline` reads it. */
export function pipelineText(elements: readonly PipelineElement[]): string {
  return elements.map((e) => (e.kind === "pass" ? stepText(e) : `${e.op}(${pipelineText(e.elements)})`)).join(",");
}

class PipelineReader {
  error: { readonly error: string; readonly at: number } | undefined;
  #at = 0;
  #depth = 0;
  constructor(
    readonly text: string,
    readonly find: (flag: string) => PassDef | undefined,
  ) {}

  elements(close: string): PipelineElement[] {
    const elements: PipelineElement[] = [];
    this.space();
    while (!this.error && this.#at < this.text.length && this.text[this.#at] !== close) {
      const element = this.element();
      if (!element) break;
      elements.push(element);
      this.space();
      if (this.text[this.#at] === ",") this.#at++;
      else if (this.#at < this.text.length && this.text[this.#at] !== close) this.fail("expected ',' between the passes of a pipeline");
      this.space();
    }
    if (close && !this.error) {
      if (this.text[this.#at] === close) this.#at++;
      else this.fail(`expected '${close}' to end a nested pipeline`);
    }
    return elements;
  }

  private element(): PipelineElement | undefined {
    const start = this.#at;
    const name = /^[^,(){}\s]+/.exec(this.text.slice(start, start + 256))?.[0];
    if (!name) return this.fail("expected the name of a pass or an operation");
    this.#at += name.length;
    this.space();
    if (this.text[this.#at] === "(") {
      if (++this.#depth > LIMITS.nesting.most) return this.fail(limitMessage("nesting"));
      this.#at++;
      const elements = this.elements(")");
      this.#depth--;
      return { kind: "nested", op: name, elements };
    }
    const options = this.text[this.#at] === "{" ? this.braces() : "";
    const pass = this.find(name);
    if (!pass) {
      this.#at = start;
      return this.fail(`'${name}' does not refer to a registered pass or pass pipeline`);
    }
    const step = parseStep(pass, options);
    if ("error" in step) return this.fail(step.error);
    return step;
  }
  private braces(): string {
    const start = ++this.#at;
    for (let depth = 1; this.#at < this.text.length; this.#at++) {
      const c = this.text[this.#at];
      if (c === "{") depth++;
      else if (c === "}" && --depth === 0) return this.text.slice(start, this.#at++);
    }
    this.fail("expected '}' to end the options of a pass");
    return "";
  }
  private space(): void {
    while (/\s/.test(this.text[this.#at] ?? "")) this.#at++;
  }
  private fail(error: string): undefined {
    this.error ??= { error, at: this.#at };
    return undefined;
  }
}
