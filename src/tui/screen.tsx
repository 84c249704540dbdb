/** The screen as React components on Ink. They show what `frame.ts` says; all they know is text, sizes and borders. */
import { Box, Text } from "ink";
import { memo } from "react";
import type { AreaView, BoxView, Frame } from "./frame.js";
import { isSimple } from "./ink/output.js";

export function Screen({ frame: { columns, height, area, narrator, lines, over } }: { readonly frame: Frame }) {
  return (
    <Box width={columns} height={height} flexDirection="column">
      {area && <Area area={area} />}
      {narrator && <Pane box={narrator} />}
      <Lines rows={lines} />
      {over && (
        <Box position="absolute" marginLeft={over.x} marginTop={over.y}>
          <Pane box={over.box} />
        </Box>
      )}
    </Box>
  );
}

/** Panes beside or below each other. */
function Area({ area }: { readonly area: AreaView }) {
  if (!("split" in area)) return <Pane box={area} />;
  return (
    <Box flexDirection={area.split} flexShrink={0}>
      {area.parts.map((part, i) => (
        <Area key={i} area={part} />
      ))}
    </Box>
  );
}

/** Rows in a border, with what is written into the border. Most panes are the same in the next frame. */
const Pane = memo(
  ({ box }: { readonly box: BoxView }) => <Bordered box={box} />,
  ({ box: a }, { box: b }) => sameTexts(a.rows, b.rows) && JSON.stringify({ ...a, rows: [] }) === JSON.stringify({ ...b, rows: [] }),
);
const sameTexts = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((text, i) => text === b[i]);
function Bordered({ box }: { readonly box: BoxView }) {
  const { width, height, colour, heavy, title, tabs, note, noteAt, rows, bar } = box;
  const inner = width - 2;
  return (
    <Box
      width={width}
      height={height}
      flexShrink={0}
      flexDirection="column"
      borderStyle={heavy ? "double" : "single"}
      {...(colour === undefined ? {} : { borderColor: colour })}
    >
      <Lines rows={rows} />
      <Box position="absolute" marginTop={-1} width={inner} paddingX={1} justifyContent="space-between">
        <Line text={title} />
        {tabs !== "" && <Line text={tabs} />}
      </Box>
      <Box
        position="absolute"
        marginTop={height - 2}
        width={inner}
        paddingX={1}
        justifyContent={noteAt === "left" ? "flex-start" : "flex-end"}
      >
        {note !== "" && <Line text={note} />}
      </Box>
      {bar && (
        <Box position="absolute" marginLeft={inner} marginTop={bar.at} width={1} flexDirection="column">
          <Lines rows={bar.text} />
        </Box>
      )}
    </Box>
  );
}

/** One text where every terminal shows characters in one column: each component costs more than a row. Ink cuts a text by its widest row. */
function Lines({ rows }: { readonly rows: readonly string[] }) {
  if (rows.every(isSimple)) return <Line text={rows.map((text) => text || " ").join("\n")} />;
  return rows.map((text, i) => <Line key={i} text={text || " "} />);
}
/** Rows, cut to their width already. */
const Line = memo(({ text }: { readonly text: string }) => <Text wrap="truncate">{text}</Text>);
