/** A server on the loopback that plays a script in a vendor's own format, and refuses what the vendor refuses. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptItem } from "../script/script-item.ts";
import { Desk } from "./desk.ts";
import type { RefusedRequest } from "./desk.ts";
import type { EmulatorScriptItem, WireRequest } from "./emulated-request.ts";
import type { Emulation } from "./emulation.ts";

/** What every emulator can be told. */
export interface EmulatorOptions {
  /** The only key that is taken. Without it every key is, but not none. */
  readonly apiKey?: string;
  /** The models that there are, of any name. Without it, all that have a name the vendor would give. */
  readonly models?: readonly string[];
  /** Tokens that fit into one request, for all models. Default: what the model has. */
  readonly contextWindow?: number;
  readonly maxBodyBytes?: number;
  /** The least that the prompt cache keeps. Default 1,024. */
  readonly minCacheTokens?: number;
  /** Signatures, encrypted content and ids of elsewhere are taken as they are: for conversations that were recorded. */
  readonly trustsForeign?: boolean;
}

export interface Emulator {
  /** The base URL, as the vendor's own clients want it. */
  readonly url: string;
  /** Those that were accepted, each of which took an item of the script. */
  readonly requests: readonly WireRequest[];
  readonly refusals: readonly RefusedRequest[];
  /** Answers that have begun and not ended: 0 once everybody has left. */
  readonly openAnswers: number;
  /** Throws if an item of the script was not used, or if a request came after its end. */
  assertComplete(): void;
  /** Breaks what is still open. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startEmulator(
  emulation: Emulation,
  script: readonly EmulatorScriptItem[],
): Promise<Emulator> {
  // Its functions are called with what the desk hands to the player, and that is an EmulatedRequest.
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
