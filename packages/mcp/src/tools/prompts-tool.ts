/** `mcp_prompts`: lists the prompts of all servers, and gets one of them. */
import type { AnyTool } from "@capstan/core";
import { defineTool, fail } from "@capstan/core";
import type { ToolContentPart } from "@capstan/kernel";
import { serializeError } from "@capstan/kernel";
import { toParts, toReturn } from "../calls/results.ts";
import type { Server } from "../servers/server.ts";
import { listLines, requestOptions, serverNamed } from "./shared-input.ts";

const input = {
  type: "object",
  properties: {
    server: { type: "string", description: "Name of the server. Needed to get a prompt." },
    name: { type: "string", description: "The prompt to get. Default: lists prompts." },
    arguments: {
      type: "object",
      description: "Arguments of the prompt, as the list names them.",
      additionalProperties: { type: "string" },
    },
  },
  additionalProperties: false,
} as const;

interface PromptInput {
  readonly server?: string;
  readonly name?: string;
  readonly arguments?: Record<string, string>;
}

export function promptsTool(servers: readonly Server[]): AnyTool {
  return defineTool({
    name: "mcp_prompts",
    description: "Lists the prompts of MCP servers, or gets the messages of one of them.",
    input,
    effect: "pure",
    async execute(sent, context) {
      // The schema allows nothing else.
      const { server: wanted, name, arguments: given = {} } = sent as PromptInput;
      const options = requestOptions(context);
      const server = wanted === undefined ? undefined : serverNamed(servers, wanted);
      if (typeof server === "string") return fail(server);
      if (name === undefined) {
        return listLines(
          server === undefined ? servers : [server],
          async (client) => {
            if (client.getServerCapabilities()?.prompts === undefined) return [];
            return (await client.listPrompts(undefined, options)).prompts;
          },
          describePrompt,
        );
      }
      if (server === undefined) return fail("Name the server of the prompt.");
      try {
        const { messages } = await server.use(
          ({ client }) => client.getPrompt({ name, arguments: given }, options),
          true,
        );
        const output = messages.flatMap(({ role, content }): ToolContentPart[] => [
          { type: "text", text: `${role}:` },
          ...toParts(content),
        ]);
        return toReturn({ output, isError: false });
      } catch (thrown) {
        if (context.signal.aborted) throw thrown;
        return fail(`Cannot get the prompt "${name}": ${serializeError(thrown).message}`);
      }
    },
  });
}

function describePrompt(prompt: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly { readonly name: string; readonly required?: boolean | undefined }[]
    | undefined;
}): string {
  const { name, description, arguments: taken = [] } = prompt;
  const shown = taken.map((each) => (each.required === true ? each.name : `${each.name}?`));
  return `${name}(${shown.join(", ")})${description === undefined ? "" : `: ${description}`}`;
}
