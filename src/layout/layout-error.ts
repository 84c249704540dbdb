/**
 * A layout that cannot exist: bases outside their dimension, a map that should cover the tensor and does not, a shape the
 * encoding has no layout for. Upstream aborts in these places (`report_fatal_error`, `assert`); callers that hold user
 * input check it first (`verifyEncoding`, `layoutProblem`), so that reaching this is a broken invariant.
 */
export class LayoutError extends Error {
  override readonly name = "LayoutError";
}
