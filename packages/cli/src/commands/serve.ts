/** `capstan serve`: this folder's agent, for other programs, over HTTP. */
import { createHost } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import type { NodeServer } from "@capstan/server/node";
import { serveNode } from "@capstan/server/node";
import type { ServeRequest } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import type { ExitCode } from "./exit-code.ts";
import { aborted, isLoopback, namesOf, toName, tokenOf } from "./listening.ts";
import { createNotes } from "../print/notes.ts";
import { chooseSessionModel } from "../session/choose-session-model.ts";
import { failed, reasonOf } from "../errors/command-error.ts";
import { createFolderAgent } from "../session/folder-agent.ts";
import type { Folder } from "../session/load-folder.ts";
import { openStore } from "../session/open-store.ts";

const leaseMs = 5_000;

/** Serves until interrupted. Turns in progress are then handed over, for the next process to resume. */
export async function serve(io: Io, request: ServeRequest, folder: Folder): Promise<ExitCode> {
  const note = createNotes(io);
  const { cwd, config } = folder;
  const { token, isNew } = tokenOf(io);
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
  try {
    const server = createServer({
      host,
      authenticate: bearerTokens({ [cwd]: token }),
      allowedHosts: namesOf(request.host),
      // All sessions of a folder belong to one principal, including those of the command.
      limits: { sessionsPerPrincipal: Infinity },
      // Only users of this machine can connect.
      errorDetails: isLoopback(request.host),
      clock: io.clock,
      onError: (thrown) => note(`a request failed: ${reasonOf(thrown)}`),
    });
    const listening = await listen(server, request);
    note(`serving the agent of ${cwd} on ${listening.url}`);
    // Printed once: the token is in no file and no log.
    if (isNew) note(`token: ${token}`);
    note(`try, with the token in CAPSTAN_TOKEN: ${curlLine(listening.url)}`);
    await aborted(io.signal);
    note("closing: handing over turns in progress");
    await listening.close();
    return 0;
  } finally {
    await host.close();
    await close();
    await store.close();
  }
}

async function listen(
  server: ReturnType<typeof createServer>,
  { port, host }: ServeRequest,
): Promise<NodeServer> {
  try {
    return await serveNode(server, { port, hostname: host });
  } catch (cause) {
    const advice = "choose others with --port and --host";
    throw failed(`Cannot listen on ${toName(host)}:${port}: ${reasonOf(cause)}; ${advice}.`, cause);
  }
}

function curlLine(url: string): string {
  const headers = `-H "authorization: Bearer $CAPSTAN_TOKEN" -H "content-type: application/json"`;
  return `curl -N ${url}/api/agent/execute ${headers} -d '{"input":"What is in this folder?"}'`;
}
