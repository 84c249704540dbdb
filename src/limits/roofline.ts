/** The roofline of a GPU with a kernel in it: operations a second against operations for each byte of DRAM, both in powers of ten. */
import { type TensorKind, unitOf } from "../gpu/products.js";
import { number } from "./bounds.js";
import type { Limits } from "./limits.js";

/** The plane of the drawing. */
interface Plane {
  readonly title: string;
  /** Operations a second that the kernel reaches at its bound, and for each byte. */
  readonly at: { readonly intensity: number; readonly rate: number };
  readonly bandwidth: number;
  readonly peak: number;
  readonly peakName: string;
}

function planeOf({ kernel, gpu, program, time, flops, intensity }: Limits): Plane {
  const [kind] = (Object.entries(program.flops) as [TensorKind, number][]).sort((a, b) => b[1] - a[1])[0] ?? [];
  const clock = gpu.boostMhz * 1e6;
  const unit = unitOf(gpu);
  const peak = (kind === undefined ? 2 * (unit.lanes.fma ?? 0) : (gpu.tensor[kind] ?? 0)) * gpu.sms * clock;
  return {
    title: `${kernel} on ${gpu.title}`,
    at: { intensity, rate: time.from === 0 ? 0 : flops / time.from },
    bandwidth: gpu.dramBytesPerSecond,
    peak,
    peakName: kind === undefined ? "f32 of the FMA pipe" : `${kind} of ${unit.matrix}`,
  };
}

/** The range of a plane in powers of ten: both ends of each axis. */
function ranges({ at, bandwidth, peak }: Plane) {
  const ridge = peak / bandwidth;
  const low = Math.floor(Math.log10(Math.max(Math.min(at.intensity || 0.1, ridge) / 10, 1e-3)));
  const high = Math.ceil(Math.log10(Math.max(at.intensity, ridge) * 10));
  const top = Math.ceil(Math.log10(peak));
  const bottom = Math.floor(Math.log10(Math.max(Math.min(at.rate || peak / 1e3, peak / 1e3, bandwidth * 10 ** low), 1)));
  return { low, high, bottom, top };
}
const roof = ({ bandwidth, peak }: Plane, intensity: number): number => Math.min(peak, bandwidth * intensity);

/** The roofline in characters: `●` is the kernel at its bound. */
export function rooflineText(limits: Limits, width = 64, height = 12): readonly string[] {
  const plane = planeOf(limits);
  const { low, high, bottom, top } = ranges(plane);
  const column = (intensity: number) => Math.round(((Math.log10(intensity) - low) / (high - low)) * (width - 1));
  const row = (rate: number) => Math.round(((top - Math.log10(rate)) / (top - bottom)) * (height - 1));
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => " "));
  for (let x = 0; x < width; x++) {
    const y = row(roof(plane, 10 ** (low + (x / (width - 1)) * (high - low))));
    if (cells[y]) cells[y][x] = "─";
  }
  const { intensity, rate } = plane.at;
  const [x, y] = [column(Math.max(intensity, 10 ** low)), row(Math.max(rate, 10 ** bottom))];
  if (cells[y]?.[x] !== undefined) cells[y][x] = "●";
  return [
    `operations a second, up to ${number(plane.peak / 1e12)} TFLOPS (${plane.peakName}); ● is the kernel at its bound`,
    ...cells.map((line, i) => `  ${i === 0 ? `1e${top}` : i === height - 1 ? `1e${bottom}` : "    "} │${line.join("").trimEnd()}`),
    `       └${"─".repeat(width)}`,
    `        1e${low}${" ".repeat(Math.max(1, width - 6 - String(low).length - String(high).length))}1e${high}   operations for each byte of DRAM`,
  ];
}

const W = 720;
const H = 420;
const MARGIN = 64;

/** The roofline as an SVG. */
export function rooflineSvg(limits: Limits): string {
  const plane = planeOf(limits);
  const { low, high, bottom, top } = ranges(plane);
  const px = (intensity: number) => MARGIN + ((Math.log10(intensity) - low) / (high - low)) * (W - 2 * MARGIN);
  const py = (rate: number) => MARGIN + ((top - Math.log10(rate)) / (top - bottom)) * (H - 2 * MARGIN);
  const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1) =>
    `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${stroke}" stroke-width="${width}"/>`;
  const label = (x: number, y: number, text: string, anchor = "middle") =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
  const out: string[] = [];
  for (let e = low; e <= high; e++)
    out.push(line(px(10 ** e), py(10 ** bottom), px(10 ** e), py(10 ** top), "#ddd"), label(px(10 ** e), H - MARGIN + 18, `1e${e}`));
  for (let e = bottom; e <= top; e++)
    out.push(line(px(10 ** low), py(10 ** e), px(10 ** high), py(10 ** e), "#ddd"), label(MARGIN - 8, py(10 ** e) + 4, `1e${e}`, "end"));
  const ridge = Math.min(Math.max(plane.peak / plane.bandwidth, 10 ** low), 10 ** high);
  out.push(
    line(px(10 ** low), py(roof(plane, 10 ** low)), px(ridge), py(roof(plane, ridge)), "#06c", 2),
    line(px(ridge), py(plane.peak), px(10 ** high), py(plane.peak), "#06c", 2),
  );
  const { intensity, rate } = plane.at;
  if (intensity > 0 && rate > 0)
    out.push(
      `<circle cx="${px(Math.max(intensity, 10 ** low)).toFixed(1)}" cy="${py(Math.max(rate, 10 ** bottom)).toFixed(1)}" r="5" fill="#c30"/>`,
    );
  out.push(
    label(W / 2, 28, `${plane.title}: ${number(rate / 1e12)} of ${number(plane.peak / 1e12)} TFLOPS at its bound (${plane.peakName})`),
    label(W / 2, H - 16, `operations for each byte of DRAM; the kernel has ${number(intensity)}`),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${W} ${H}" font-family="sans-serif" font-size="12"><rect width="${W}" height="${H}" fill="#fff"/>${out.join("")}</svg>\n`;
}

/** The drawing for a file, by its ending: `.svg`, `.html`, or `.txt`. */
export function roofline(limits: Limits, path: string): { readonly text: string } | { readonly error: string } {
  if (path.endsWith(".svg")) return { text: rooflineSvg(limits) };
  if (path.endsWith(".txt")) return { text: `${rooflineText(limits).join("\n")}\n` };
  if (path.endsWith(".html")) return { text: `<!doctype html><meta charset="utf-8"><title>Roofline</title>${rooflineSvg(limits)}` };
  return { error: `--roofline draws .svg, .html or .txt, not '${path}'` };
}
