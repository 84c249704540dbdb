/** The state of the page as a link's fragment: JSON, deflated, in base64 for URLs. Nothing of it is sent to a server. */
import { packed, unpacked } from "../support/pack.js";
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

/** The state of the page for the fragment of a URL. */
export const toFragment = async (state: PageState): Promise<string> =>
  (await packed(JSON.stringify(state))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** The state of a fragment, or the reason why it is none. */
export async function fromFragment(fragment: string): Promise<PageState | { readonly error: string }> {
  const damaged = { error: "the link is damaged: its state cannot be read" };
  if (fragment.length > MAX_LINK) return { error: "the link is too long to be read" };
  try {
    const text = await unpacked(fragment.replaceAll("-", "+").replaceAll("_", "/"), MAX_TEXT);
    if (text === undefined) return { error: "the link holds a text that is too long for a kernel" };
    return stateOf(JSON.parse(text)) ?? damaged;
  } catch {
    // atob, the stream and JSON.parse each throw errors of their own for what they cannot read.
    return damaged;
  }
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
      ...defined("triton", string(input["triton"])),
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
