/** One connection to a server, from the handshake to its end. */
import type { Client, ClientOptions, PriorDiscovery } from "@modelcontextprotocol/client";
import { background } from "@capstan/kernel";
import { cleanText } from "../elicitation/clean-text.ts";
import type { McpMode, McpServerOptions } from "../options/server-options.ts";
import type { Sdk } from "../sdk/sdk.ts";
import type { Wire } from "./transport.ts";
import { createWire } from "./transport.ts";

/** Verdict about the generation of a server, kept for the next connection. */
export type Verdict = PriorDiscovery;

export interface ConnectionRequest {
  readonly options: McpServerOptions;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly timeoutMs: number;
  readonly verdict: Verdict | undefined;
  /** Answers a question that a server before 2026-07-28 asks during a call. */
  elicit(params: unknown): Promise<{ action: "accept" | "decline" | "cancel" }>;
  onListChanged(): void;
  onClose(): void;
}

export class Connection {
  readonly client: Client;
  readonly #wire: Wire;
  #isClosed = false;
  #hasChangeNotices = false;

  private constructor(client: Client, wire: Wire) {
    this.client = client;
    this.#wire = wire;
  }

  /** Rejects with the SDK's error; what was started is ended then. */
  static async open(sdk: Sdk, request: ConnectionRequest): Promise<Connection> {
    const { options, timeoutMs, verdict } = request;
    const wire = createWire(sdk, options);
    const client = createClient(sdk, request);
    const connection = new Connection(client, wire);
    // eslint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
    client.onclose = () => {
      connection.#isClosed = true;
      request.onClose();
    };
    try {
      const prior = verdict !== undefined && { prior: verdict };
      await client.connect(wire.transport, { timeout: timeoutMs, ...prior });
      connection.#followChanges(request);
      return connection;
    } catch (thrown) {
      // The failure is reported; one of the clean-up would hide it.
      background(wire.transport.close(), () => {});
      const words = wire.stderr();
      throw words === "" ? thrown : withWords(thrown, words);
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get pid(): number | undefined {
    return this.#wire.pid();
  }

  /** Whether the server speaks 2026-07-28 or later. */
  get isModern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  /** Whether the server tells when its list of tools changes. */
  get hasChangeNotices(): boolean {
    return this.#hasChangeNotices;
  }

  /** A server of today tells it on a stream of its own, which it may refuse or end. */
  #followChanges({ onListChanged }: ConnectionRequest): void {
    if (!this.isModern) {
      this.#hasChangeNotices = this.client.getServerCapabilities()?.tools?.listChanged === true;
      return;
    }
    const subscription = this.client.autoOpenedSubscription;
    if (subscription?.honoredFilter.toolsListChanged !== true) return;
    this.#hasChangeNotices = true;
    const onEnd = (): void => {
      this.#hasChangeNotices = false;
      onListChanged();
    };
    background(subscription.closed.then(onEnd), onEnd);
  }

  /** Whether the server keeps a session, which it may forget. */
  get hasSession(): boolean {
    return !this.isModern && this.#wire.transport.sessionId !== undefined;
  }

  get verdict(): Verdict {
    const discover = this.isModern ? this.client.getDiscoverResult() : undefined;
    return discover === undefined ? { kind: "legacy" } : { kind: "modern", discover };
  }

  /** `isForgotten`: the server does not know the session any more. */
  async close(isForgotten = false): Promise<void> {
    if (this.hasSession && !isForgotten && !this.#isClosed) {
      // The server forgets the session sooner or later anyway.
      await this.#wire.endSession().catch(() => {});
    }
    await this.client.close();
  }
}

function createClient({ client }: Sdk, request: ConnectionRequest): Client {
  const { options, onListChanged, clientInfo } = request;
  const onChanged = { autoRefresh: false, debounceMs: 0, onChanged: onListChanged };
  const created = new client.Client(
    { ...clientInfo },
    {
      capabilities: {
        elicitation: { form: {}, url: {} },
        extensions: { "io.modelcontextprotocol/tasks": {} },
      },
      versionNegotiation: { mode: modeOf(options) },
      // A question suspends the call; its answer may come in another process.
      inputRequired: { autoFulfill: false },
      listChanged: { tools: onChanged },
      jsonSchemaValidator: uncheckedOutputs,
    },
  );
  created.setRequestHandler("elicitation/create", ({ params }) => request.elicit(params));
  return created;
}

function modeOf(options: McpServerOptions): McpMode {
  return options.mode ?? ("url" in options ? "auto" : "legacy");
}

/**
 * An output that does not fit its schema is shown all the same: the call has had its effect, and the model is better off with the output than
 * with an error. No schema is compiled, so no reference in one is followed.
 */
const uncheckedOutputs: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  // The SDK chooses the type of the data, which is not checked here.
  getValidator: () => (input) => ({
    valid: true,
    data: input as never,
    errorMessage: undefined,
  }),
};

function withWords(thrown: unknown, words: string): Error {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const shown = cleanText(words, words.length);
  return new Error(`${message}. Its last words: ${shown}`, { cause: thrown });
}
