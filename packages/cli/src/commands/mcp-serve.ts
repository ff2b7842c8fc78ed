/** `capstan mcp serve`: this folder's agent as a tool of an MCP server, over stdin and stdout or over HTTP. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { Readable, Writable } from "node:stream";
import { createHost } from "@capstan/core";
import type { McpAgentServer } from "@capstan/mcp/server";
import { mcpServer, toNodeListener } from "@capstan/mcp/server";
import { bearerTokens } from "@capstan/server";
import type { McpAddress, McpRequest } from "../command-line/request.ts";
import { failed, reasonOf, wrongUse } from "../errors/command-error.ts";
import type { Note } from "../print/notes.ts";
import { createNotes } from "../print/notes.ts";
import type { Io } from "../process/io.ts";
import { chooseSessionModel } from "../session/choose-session-model.ts";
import { agentNameOf, createFolderAgent } from "../session/folder-agent.ts";
import type { Folder } from "../session/load-folder.ts";
import { openStore } from "../session/open-store.ts";
import type { ExitCode } from "./exit-code.ts";
import { aborted, isLoopback, namesOf, toName, tokenOf } from "./listening.ts";

const leaseMs = 5_000;

/** Serves until interrupted or, over stdin, until the client closes it. Stdout has nothing but the protocol. Throws a `CommandError`. */
export async function mcpServe(
  io: Io,
  request: McpRequest,
  http: McpAddress | undefined,
  folder: Folder,
): Promise<ExitCode> {
  const note = createNotes(io);
  if (http === undefined && io.stdin.kind === "none") {
    throw wrongUse(
      "capstan mcp serve speaks MCP on stdin and stdout: let an MCP client start it, or serve over HTTP with --http.",
    );
  }
  const { token, isNew } = tokenOf(io);
  const { cwd, config } = folder;
  const model = await chooseSessionModel(io, request, folder);
  note(`using ${model.chosen.name}, because ${model.chosen.reason}`);
  const { agent, close } = await createFolderAgent(io, { folder, note, ...model });
  const store = await openStore(config.settings.store);
  const host = createHost({
    agents: [agent],
    repository: store,
    clock: io.clock,
    leaseMs,
    onError: ({ error, sessionId }) =>
      note(`${sessionId === undefined ? "" : `session ${sessionId}: `}${reasonOf(error)}`),
  });
  const server = mcpServer(host, {
    name: "capstan",
    agents: {
      [agentNameOf(cwd)]: {
        name: "capstan",
        title: "Capstan",
        description: `A coding agent for the folder ${basename(cwd)} (${cwd}): reads, changes and runs things there. Give it a whole task; it plans and checks by itself.`,
      },
    },
    authenticate: bearerTokens({ [cwd]: token }),
    ...(http && { allowedHosts: namesOf(http.host) }),
    // A client that cannot ask is like a command without a terminal: calls that no rule allows are refused.
    ifCannotAsk: "refuse",
    // All sessions of a folder belong to one principal, including those of the command.
    limits: { sessionsPerPrincipal: Infinity },
    // Only users of this machine can connect.
    errorDetails: http === undefined || isLoopback(http.host),
    clock: io.clock,
    onError: (thrown) => note(`a request failed: ${reasonOf(thrown)}`),
  });
  try {
    if (http === undefined) await serveStdio(io, server, cwd, note);
    else await serveHttp(io, server, http, isNew ? token : undefined, note);
    return 0;
  } finally {
    await server.close();
    await host.close();
    await close();
    await store.close();
  }
}

async function serveStdio(io: Io, server: McpAgentServer, cwd: string, note: Note): Promise<void> {
  note(`serving the agent of ${cwd} on stdin and stdout`);
  const stdin = Readable.from(io.stdin.read(), { objectMode: false });
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      io.stdout.write(chunk.toString());
      done();
    },
  });
  const served = server.serveStdio({ principal: cwd, stdin, stdout });
  await Promise.race([served, aborted(io.signal)]);
}

async function serveHttp(
  io: Io,
  server: McpAgentServer,
  { port, host }: McpAddress,
  newToken: string | undefined,
  note: Note,
): Promise<void> {
  const http = createServer(toNodeListener(server.handle));
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, resolve);
  }).catch((cause: unknown) => {
    const advice = "choose others with --port and --host";
    throw failed(`Cannot listen on ${toName(host)}:${port}: ${reasonOf(cause)}; ${advice}.`, cause);
  });
  // A TCP server has a port.
  const { port: listening } = http.address() as AddressInfo;
  note(`serving the agent of ${io.cwd} on http://${toName(host)}:${listening}/mcp`);
  // Printed once: the token is in no file and no log.
  if (newToken !== undefined) note(`token: ${newToken}`);
  await aborted(io.signal);
  note("closing: handing over turns in progress");
  await server.close();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}
