/** `tt-step mcp`: the tools of `src/mcp` for agents, by the Model Context Protocol over standard input and output. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { callTool, TOOLS } from "../mcp/tools.js";
import { fileError } from "../node/files.js";
import { fromBytes } from "../support/utf8.js";
import { EXIT, type Io } from "./io.js";
import { usage } from "./tt-step-output.js";
import { VERSION } from "./version.js";

/** Serves until standard input ends. */
export async function mcpMain(words: readonly string[], io: Io): Promise<number> {
  if (words.length > 0) return usage(io, "mcp expects no words: it speaks over standard input and output");
  const server = new Server({ name: "tt-step", version: VERSION }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: TOOLS.map(({ name, description, properties, required }) => ({
      name,
      description,
      inputSchema: { type: "object" as const, properties, required: [...required], additionalProperties: false },
    })),
  }));
  const readFile = (path: string): string => {
    try {
      return io.readFile(path);
    } catch (error) {
      throw new Error(fileError(error));
    }
  };
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const { text, isError } = callTool(params.name, params.arguments ?? {}, { readFile });
    // IR is bytes; a report of our own may have other characters.
    return { content: [{ type: "text" as const, text: /[^\0-\xff]/.test(text) ? text : fromBytes(text) }], isError };
  });
  const closed = new Promise<void>((done) => {
    server.onclose = done;
    process.stdin.once("end", () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await closed;
  return EXIT.ok;
}
