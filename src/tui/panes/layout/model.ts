/** Five views of the layout that the value under the cursor has at this pass. */
import { line, MUTED, type Row, style } from "../../draw/style.js";
import type { State } from "../../state/state.js";
import type { Size2 } from "../pane.js";
import { hwRows } from "./hw.js";
import { mapRows, subjectHead } from "./map.js";
import { pairRows } from "./pair.js";
import { sharedRows } from "./shared.js";
import { type Subject, subjectOf } from "./subject.js";

/** The rows of the layout pane. */
export function layoutRows(state: State, size: Size2): Row[] {
  const subject = subjectOf(state);
  if ("reason" in subject) return wrapped(subject.reason, size.width);
  const view = state.view.layout;
  switch (view.tab) {
    case "map":
      return subject.layout.kind === "shared" ? sharedRows(subject, view, size) : mapRows(subject, view, size);
    case "hw":
      return subject.layout.kind === "shared" ? sharedRows(subject, view, size) : hwRows(subject, view, size);
    case "shared":
      return sharedRows(subject, view, size);
    case "pair":
      return pairRows(subject, view, size);
    case "bases":
      return basesRows(subject, view.top, size);
  }
}

function basesRows(subject: Subject, top: number, size: Size2): Row[] {
  const { layout, shape, bits } = subject.layout;
  const rows: Row[] = [...subjectHead(subject, size)];
  for (const text of layout.toString().split("\n")) {
    if (text.trim() === "") continue;
    const base = /^(\s*)(-?\s*\w+=\d+|- \w+)(.*)$/.exec(text);
    rows.push(
      base
        ? [
            [base[1]! + base[2]!, style("accent")],
            [base[3]!, 0],
          ]
        : line(text),
    );
  }
  const elements = shape.reduce((product, n) => product * n, 1);
  const places = layout.getTotalInDimSize();
  const copies = places / layout.getTotalOutDimSize();
  rows.push(
    line(
      `${elements} elements of ${bits} ${bits === 1 ? "bit" : "bits"} in ${places} places${copies > 1 ? `: each element ${copies} times` : ""}`,
      MUTED,
    ),
  );
  return rows.slice(Math.min(top, Math.max(0, rows.length - size.height)));
}

/** A sentence over as many rows as it needs. */
export function wrapped(text: string, width: number): Row[] {
  const rows: Row[] = [];
  let current = "";
  for (const word of text.split(" ")) {
    if (current !== "" && current.length + 1 + word.length > width) {
      rows.push(line(current, MUTED));
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...rows, line(current, MUTED)];
}
