/** `mcp_resources`: lists and reads the resources of all servers. */
import type { AnyTool } from "@capstan/core";
import { defineTool, fail } from "@capstan/core";
import { serializeError } from "@capstan/kernel";
import { describeLink, toReturn, toResourceParts } from "../calls/results.ts";
import type { Server } from "../servers/server.ts";
import { listLines, requestOptions, serverNamed } from "./shared-input.ts";

const input = {
  type: "object",
  properties: {
    server: { type: "string", description: "Name of the server. Needed to read a resource." },
    uri: { type: "string", description: "The resource to read. Default: lists resources." },
  },
  additionalProperties: false,
} as const;

export function resourcesTool(servers: readonly Server[]): AnyTool {
  return defineTool({
    name: "mcp_resources",
    description: "Lists the resources of MCP servers, or reads one of them.",
    input,
    effect: "pure",
    async execute({ server: name, uri }, context) {
      const options = requestOptions(context);
      const server = typeof name === "string" ? serverNamed(servers, name) : undefined;
      if (typeof server === "string") return fail(server);
      if (typeof uri !== "string") {
        return listLines(
          server === undefined ? servers : [server],
          async (client) => {
            if (client.getServerCapabilities()?.resources === undefined) return [];
            const { resources } = await client.listResources(undefined, options);
            const { resourceTemplates } = await client.listResourceTemplates(undefined, options);
            return [
              ...resources.map((resource) => describeLink(resource)),
              ...resourceTemplates.map(({ uriTemplate, ...rest }) =>
                describeLink({ ...rest, uri: uriTemplate }),
              ),
            ];
          },
          (line) => line,
        );
      }
      if (server === undefined) return fail("Name the server of the resource.");
      try {
        const { contents } = await server.use(
          ({ client }) => client.readResource({ uri }, options),
          true,
        );
        const parts = contents.flatMap(toResourceParts);
        const isText = parts.every((part) => part.type === "text");
        const output = isText
          ? parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
          : parts;
        return toReturn({ output, isError: false });
      } catch (thrown) {
        if (context.signal.aborted) throw thrown;
        return fail(`Cannot read "${uri}": ${serializeError(thrown).message}`);
      }
    },
  });
}
