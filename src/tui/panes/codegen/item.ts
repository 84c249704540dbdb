/** A row of the tabs that list things, and where enter leads from it. */
import type { Row } from "../../draw/style.js";
import type { Go } from "../../state/state.js";

export interface CodegenItem {
  readonly row: Row;
  readonly go?: Go;
  /** A rewrite begins here: `n` goes from one to the next. */
  readonly head?: true;
}
