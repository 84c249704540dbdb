/** The state of the page as a link's fragment: JSON, deflated, in base64 for URLs. Nothing of it is sent to a server. */
import type { Input } from "./protocol.js";

export const MODES = ["compiler", "layout", "cute"] as const;
export interface PageState {
  readonly mode: (typeof MODES)[number];
  readonly input: Input;
  readonly against?: Input | undefined;
  /** As `tt-step --open` has it. */
  readonly screen?: string | undefined;
  /** The texts of the two playgrounds. */
  readonly layout?: string | undefined;
  readonly cute?: string | undefined;
}

/** A link of more characters is not read: browsers and programs cut longer ones. */
export const MAX_LINK = 200_000;
/** A text of more characters is no kernel. */
const MAX_TEXT = 2_000_000;

export async function toFragment(state: PageState): Promise<string> {
  const bytes = await through(
    new TextEncoder().encode(JSON.stringify(state)),
    new CompressionStream("deflate-raw"),
    Number.POSITIVE_INFINITY,
  );
  let text = "";
  for (const byte of bytes!) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state of a fragment, or the reason why it is none. */
export async function fromFragment(fragment: string): Promise<PageState | { readonly error: string }> {
  const damaged = { error: "the link is damaged: its state cannot be read" };
  if (fragment.length > MAX_LINK) return { error: "the link is too long to be read" };
  try {
    const packed = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), MAX_TEXT);
    if (!bytes) return { error: "the link holds a text that is too long for a kernel" };
    return stateOf(JSON.parse(new TextDecoder().decode(bytes))) ?? damaged;
  } catch {
    // atob, the stream and JSON.parse each throw errors of their own for what they cannot read.
    return damaged;
  }
}

/** The bytes after a transformation; undefined where they are more than `most`. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array | undefined> {
  const reader = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return undefined;
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A state with nothing in it but what a page writes. */
function stateOf(given: unknown): PageState | undefined {
  const record = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  const string = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const number = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined);
  const inputOf = (value: unknown): Input | undefined => {
    const input = record(value);
    const [name, text] = [string(input?.["name"]), string(input?.["text"])];
    if (!input || name === undefined || text === undefined) return undefined;
    const asked = record(input["options"]) ?? {};
    const options = Object.fromEntries(OPTIONS.flatMap((key) => (number(asked[key]) === undefined ? [] : [[key, number(asked[key])!]])));
    return {
      name,
      text,
      options,
      ...defined("target", string(input["target"])),
      ...defined("kernel", string(input["kernel"])),
      ...defined("signature", string(input["signature"])),
      ...defined("config", number(input["config"])),
    };
  };
  const state = record(given);
  const input = inputOf(state?.["input"]);
  const mode = MODES.find((known) => known === state?.["mode"]);
  if (!state || !input || !mode) return undefined;
  const [against, screen] = [inputOf(state["against"]), string(state["screen"])];
  return {
    mode,
    input,
    ...defined("against", against),
    ...defined("screen", screen),
    ...defined("layout", string(state["layout"])),
    ...defined("cute", string(state["cute"])),
  };
}
const OPTIONS = ["numWarps", "numStages", "numCtas"] as const;
const defined = <K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
