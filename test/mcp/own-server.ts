/**
 * A server of 2026-07-28 on the protocol's own SDK, as a process: `pay` asks before it pays, `build` is a task that asks for a name. What it
 * has done is in a file, so that another process of it continues. Started with the file and a port.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { serveWeb } from "../../packages/mcp/test/serve-web.ts";

const [file = "", port = "0"] = process.argv.slice(2);
const form = z.object({ account: z.string() });

/** Lines of the file, one for each thing done. */
function done(): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

function note(line: string): void {
  appendFileSync(file, `${line}\n`);
}

function createOwnServer(): McpServer {
  const server = new McpServer(
    { name: "own", version: "1" },
    { capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } } },
  );
  const amount = z.object({ amount: z.number() });
  server.registerTool("pay", { description: "Pays", inputSchema: amount }, (input, context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "account", form);
    if (answer === undefined) {
      const account = inputRequired.elicit({ message: "Which account?", requestedSchema: form });
      return inputRequired({
        inputRequests: { account },
        requestState: `state of ${input.amount}`,
      });
    }
    note(`paid ${input.amount} from ${answer.account}, ${String(context.mcpReq.requestState())}`);
    return { content: [{ type: "text", text: `Paid ${input.amount} from ${answer.account}` }] };
  });
  server.registerTool("build", { description: "Builds" }, () => {
    note("started");
    // The SDK of the server passes on what it does not know.
    return { ...task, resultType: "task", status: "working", content: [] };
  });
  const ofTask = z.looseObject({ taskId: z.string() });
  server.server.setRequestHandler("tasks/get", { params: ofTask }, () => state());
  server.server.setRequestHandler("tasks/update", { params: ofTask }, (_params, context) => {
    note(`named ${JSON.stringify(context.mcpReq.inputResponses)}`);
    return {};
  });
  return server;
}

const task = {
  taskId: "t-1",
  createdAt: "2026-11-18T00:00:00Z",
  lastUpdatedAt: "2026-11-18T00:00:00Z",
  ttlMs: null,
};

/** The task works, asks, works, and is done; each poll is noted. */
function state(): Record<string, unknown> {
  const lines = done();
  note("polled");
  if (lines.at(-1) === "started") return { ...task, status: "working" };
  const named = lines.find((line) => line.startsWith("named "));
  if (named === undefined) {
    const name = inputRequired.elicit({ message: "Which account?", requestedSchema: form });
    return { ...task, status: "input_required", inputRequests: { name } };
  }
  if (lines.at(-1) === named) return { ...task, status: "working" };
  return { ...task, status: "completed", result: { content: [{ type: "text", text: named }] } };
}

const handler = createMcpHandler(createOwnServer);
const address = await serveWeb((request) => handler.fetch(request), Number(port));
console.log(JSON.stringify({ listening: { port: address.port } }));
