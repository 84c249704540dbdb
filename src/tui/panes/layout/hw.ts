/** The hardware view: what each register of each thread holds. */
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { BOLD, INKS, type Ink, MUTED, onPaper, type Row, type Span, style, withAttributes } from "../../draw/style.js";
import type { State } from "../../state/state.js";
import type { View } from "../../state/view.js";
import type { Size2 } from "../pane.js";
import { firstOwner, within } from "./grid.js";
import { subjectHead } from "./map.js";
import type { Subject } from "./subject.js";

const PALETTE: readonly Ink[] = INKS.filter((ink) => /^c\d$/.test(ink));

/** Threads side by side, registers below each other. */
export function hwRows(subject: Subject, view: View["layout"], size: Size2): Row[] {
  const { width, height } = size;
  const { layout, shape } = subject.layout;
  const lanes = layout.getInDimSize("lane");
  const threads = lanes * layout.getInDimSize("warp");
  const registers = layout.getInDimSize("register");
  const owner = firstOwner(layout, shape, within(shape, view.element)) ?? { thread: 0, register: 0, block: 0, warp: 0, lane: 0 };
  const cell = shape.reduce((n, size) => n + String(size - 1).length + 1, 2);
  const gutter = `r${registers - 1} `.length;
  const across = Math.max(1, Math.min(threads, Math.floor((width - gutter) / cell)));
  const rows: Row[] = [...subjectHead(subject, size)];
  const down = Math.max(1, Math.min(registers, height - rows.length - 2));
  const page = (at: number, size: number, all: number) => Math.max(0, Math.min(all - size, Math.floor(at / size) * size));
  const left = page(owner.thread, across, threads);
  const top = page(owner.register, down, registers);
  const names: Span[] = [[" ".repeat(gutter), MUTED]];
  for (let t = left; t < left + across; t++) {
    const isThread = t === view.thread;
    names.push([
      `T${t}`.padStart(cell - 1).padEnd(cell),
      t === owner.thread ? style("accent", "none", BOLD) : isThread ? style("plain", "match", BOLD) : MUTED,
    ]);
  }
  rows.push(names);
  for (let r = top; r < top + down; r++) {
    const spans: Span[] = [[`r${r}`.padEnd(gutter), r === owner.register ? style("accent", "none", BOLD) : MUTED]];
    for (let t = left; t < left + across; t++) {
      let s = style(PALETTE[(view.colour === "register" ? r : view.colour === "warp" ? Math.trunc(t / lanes) : t) % PALETTE.length]!);
      if (t === owner.thread && r === owner.register) s = withAttributes(onPaper(s, "selected"), BOLD);
      else if (t === view.thread) s = onPaper(s, "match");
      spans.push([holdings(layout, t, r, owner.block, lanes).padStart(cell - 1), s], [" ", 0]);
    }
    rows.push(spans);
  }
  const thread = `thread ${owner.thread}`;
  const place = ` (warp ${owner.warp}, lane ${owner.lane}), register ${owner.register} of ${registers}`;
  const shown = across < threads || down < registers ? `   ${across}x${down} of ${threads} threads x ${registers} registers` : "";
  rows.push([
    [thread, style("accent", "none", BOLD)],
    [place, 0],
    [thread.length + place.length + shown.length <= width ? shown : "", MUTED],
  ]);
  return rows;
}

function holdings(layout: LinearLayout, thread: number, register: number, block: number, lanes: number): string {
  const at = layout.unpack(layout.applyPacked({ register, lane: thread % lanes, warp: Math.trunc(thread / lanes), block }));
  return `(${at.join(",")})`;
}

/** A click below the map selects nothing. */
export function hwWindow(state: State, _row: number): State {
  return state;
}
