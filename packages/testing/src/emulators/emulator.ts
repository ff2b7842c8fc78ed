/** A server on the loopback interface that plays a script in a vendor's own format, and refuses what the vendor refuses. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptItem } from "../script/script-item.ts";
import { Desk } from "./desk.ts";
import type { RefusedRequest } from "./desk.ts";
import type { EmulatorScriptItem, WireRequest } from "./emulated-request.ts";
import type { Emulation } from "./emulation.ts";

/** Options of every emulator. */
export interface EmulatorOptions {
  /** The only valid key. Without it every key is valid, but one is required. */
  readonly apiKey?: string;
  /** Available models, of any name. Without it, all names that the vendor would use. */
  readonly models?: readonly string[];
  /** Context window of all models. Default: that of the model. */
  readonly contextWindow?: number;
  readonly maxBodyBytes?: number;
  /** Minimum size of a prompt cache entry. Default 1,024. */
  readonly minCacheTokens?: number;
  /** True to accept foreign signatures, encrypted content and ids unchecked: for recorded conversations. */
  readonly trustsForeign?: boolean;
}

/** Emulated service of a vendor on a local port. The caller must `close` it. */
export interface Emulator {
  /** Base URL, as the vendor's own clients expect it. */
  readonly url: string;
  /** Accepted requests, each of which used an item of the script. */
  readonly requests: readonly WireRequest[];
  readonly refusals: readonly RefusedRequest[];
  /** Number of answers that have started and not ended: 0 once all clients have left. */
  readonly openAnswers: number;
  /** Throws if an item of the script was not used, or if a request came after its end. */
  assertComplete(): void;
  /** Breaks open connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startEmulator(
  emulation: Emulation,
  script: readonly EmulatorScriptItem[],
): Promise<Emulator> {
  // The desk calls these functions with an EmulatedRequest.
  const desk = new Desk(emulation, script as readonly ScriptItem[]);
  const server = createServer((request, response) => {
    desk.serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}${emulation.basePath}`,
    requests: desk.requests,
    refusals: desk.refusals,
    get openAnswers() {
      return desk.openAnswers;
    },
    assertComplete: () => desk.assertComplete(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
