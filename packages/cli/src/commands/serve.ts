/** `capstan serve`: the agent of this folder, for other programs, over HTTP. */
import { randomBytes } from "node:crypto";
import { hostname, networkInterfaces } from "node:os";
import { createHost } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import type { NodeServer } from "@capstan/server/node";
import { serveNode } from "@capstan/server/node";
import type { ServeRequest } from "../command-line/request.ts";
import type { ExitCode, Io } from "../process/io.ts";
import { createNotes } from "../print/notes.ts";
import { chooseSessionModel } from "../session/choose-session-model.ts";
import { failed, reasonOf, wrongUse } from "../errors/command-error.ts";
import { createFolderAgent } from "../session/folder-agent.ts";
import type { Folder } from "../session/load-folder.ts";
import { openStore } from "../session/open-store.ts";

const leaseMs = 5_000;
const minTokenChars = 16;

/** Until it is interrupted; then turns under way are handed over, to be gone on with by whoever comes next. */
export async function serve(io: Io, request: ServeRequest, folder: Folder): Promise<ExitCode> {
  const note = createNotes(io);
  const { cwd, config } = folder;
  const { token, isNew } = tokenOf(io);
  const model = await chooseSessionModel(io, request, folder);
  note(`using ${model.chosen.name}, because ${model.chosen.reason}`);
  const { agent } = createFolderAgent(io, { folder, ...model });
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
      // All sessions of a folder are of one principal, those of the command included.
      limits: { sessionsPerPrincipal: Infinity },
      // Only this machine's user can reach it.
      errorDetails: isLoopback(request.host),
      clock: io.clock,
      onError: (thrown) => note(`a request failed: ${reasonOf(thrown)}`),
    });
    const listening = await listen(server, request);
    note(`the agent of ${cwd} listens at ${listening.url}`);
    // Once: it is in no file and in no log.
    if (isNew) note(`token: ${token}`);
    note(`try, with the token in CAPSTAN_TOKEN: ${curlLine(listening.url)}`);
    await aborted(io.signal);
    note("closing: turns under way are handed over");
    await listening.close();
    return 0;
  } finally {
    await host.close();
    await store.close();
  }
}

function tokenOf({ env }: Io): { readonly token: string; readonly isNew: boolean } {
  const { CAPSTAN_TOKEN: given } = env;
  if (given === undefined || given === "") {
    return { token: randomBytes(32).toString("base64url"), isNew: true };
  }
  if (given.length >= minTokenChars && /^[\w.~+/=-]+$/.test(given)) {
    return { token: given, isNew: false };
  }
  throw wrongUse(
    `CAPSTAN_TOKEN is no token: it has to have ${minTokenChars} characters or more, letters, digits and ". ~ + / = - _". Without it one is made.`,
  );
}

async function listen(
  server: ReturnType<typeof createServer>,
  { port, host }: ServeRequest,
): Promise<NodeServer> {
  try {
    return await serveNode(server, { port, hostname: host });
  } catch (cause) {
    const advice = "choose others with --port and --host";
    throw failed(
      `Nobody can listen at ${host}, port ${port}: ${reasonOf(cause)}; ${advice}.`,
      cause,
    );
  }
}

/** What the server is called by those who may reach it. */
function namesOf(host: string): readonly string[] {
  const own = ["localhost", "127.0.0.1", "[::1]", toName(host)];
  if (host !== "0.0.0.0" && host !== "::") return own;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return [...own, hostname(), ...addresses.map(({ address }) => toName(address))];
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

function toName(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function curlLine(url: string): string {
  const headers = `-H "authorization: Bearer $CAPSTAN_TOKEN" -H "content-type: application/json"`;
  return `curl -N ${url}/api/agent/execute ${headers} -d '{"input":"What is in this folder?"}'`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
