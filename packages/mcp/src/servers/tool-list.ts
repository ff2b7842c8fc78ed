/** The tools of one server as it listed them last, and when they have to be listed again. */
import type { Clock } from "@capstan/core";
import { serializeError } from "@capstan/kernel";
import type { Tool } from "@modelcontextprotocol/client";
import { McpError } from "../errors/mcp-error.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "./server.ts";

export interface Listing {
  readonly tools: readonly Tool[];
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
}

/** For servers before 2026-07-28 that do not tell when their list changes. */
const silentListMs = 300_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export class ToolList {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #onError: (error: McpError) => void;
  #current: Listing | undefined;
  #freshUntil = -Infinity;
  /** Counts changes, so that a list that was asked for before a change does not count as fresh. */
  #changes = 0;
  #problem: McpError | undefined;
  #failures = 0;
  #retryAt = -Infinity;
  #fetching: Promise<void> | undefined;

  constructor(server: Server, clock: Clock, onError: (error: McpError) => void) {
    this.#server = server;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** The last list, which stays while its server is away. */
  get current(): Listing | undefined {
    return this.#current;
  }

  /** Why the list could not be had, if so. */
  get problem(): McpError | undefined {
    return this.#problem;
  }

  get isFetching(): boolean {
    return this.#fetching !== undefined;
  }

  markStale(): void {
    this.#changes += 1;
    this.#freshUntil = -Infinity;
  }

  /** Brings the list up to date, in at most this time; a server that needs longer is waited for in the background. Never rejects. */
  async refresh(waitMs: number): Promise<Listing | undefined> {
    const now = this.#clock.now();
    const isDue = now >= this.#freshUntil && now >= this.#retryAt;
    if (!isDue) return this.#current;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    await this.#within(waitMs, this.#fetching);
    return this.#current;
  }

  async #fetch(): Promise<void> {
    const changes = this.#changes;
    try {
      const { listing, freshForMs } = await this.#server.use(
        (connection) => this.#list(connection),
        true,
      );
      this.#current = listing;
      if (changes === this.#changes) this.#freshUntil = this.#clock.now() + freshForMs;
      this.#problem = undefined;
      this.#failures = 0;
      this.#retryAt = -Infinity;
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  async #list(connection: Connection): Promise<{ listing: Listing; freshForMs: number }> {
    const { client, isModern, hasChangeNotices } = connection;
    const timeout = this.#server.startTimeoutMs;
    const result = await client.listTools(undefined, { timeout, cacheMode: "refresh" });
    const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
    const listing: Listing = {
      tools: [...result.tools].sort(byName),
      hasResources: resources !== undefined,
      hasPrompts: prompts !== undefined,
    };
    const { ttlMs } = result as { readonly ttlMs?: unknown };
    if (typeof ttlMs === "number" && ttlMs > 0) return { listing, freshForMs: ttlMs };
    if (tools === undefined || hasChangeNotices) return { listing, freshForMs: Infinity };
    return { listing, freshForMs: isModern ? 0 : silentListMs };
  }

  #fail(thrown: unknown): void {
    this.#failures += 1;
    const delay = Math.min(longestRetryMs, firstRetryMs * 2 ** (this.#failures - 1));
    this.#retryAt = this.#clock.now() + delay;
    this.#problem = thrown instanceof McpError ? thrown : this.#listFailed(thrown);
    this.#onError(this.#problem);
  }

  #listFailed(cause: unknown): McpError {
    const { name } = this.#server;
    const { message } = serializeError(cause);
    const text = `The MCP server "${name}" did not list its tools: ${message}`;
    return new McpError("list_failed", name, text, { cause });
  }

  #within(ms: number, work: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.timer(ms, resolve);
      work.then(resolve, resolve).finally(cancel);
    });
  }
}

function byName(left: Tool, right: Tool): number {
  return left.name < right.name ? -1 : left.name > right.name ? 1 : 0;
}
