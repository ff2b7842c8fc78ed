/** Models of the server for clients that run their own agents: who may ask which, how much, and the replies under way. */
import type { Clock, Model } from "@capstan/core";
import { ProviderError, hashJson, isCapstanError, serializeError } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { ModelFrame, ModelRequest, OfferedModel, WireProviderError } from "@capstan/log";
import { toWireError } from "@capstan/log";
import type { ServerLimits } from "../guard/limits.ts";
import type { PublicView } from "../guard/public-view.ts";
import { ServerError, invalidRequest } from "../guard/server-error.ts";
import type { UnreadCount } from "../streaming/event-reader.ts";
import { Budget, ReplyMeter } from "./budget.ts";
import { ModelReply } from "./model-reply.ts";
import type { ProxyOptions } from "./proxy-options.ts";

export interface ModelProxyParts {
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly view: PublicView;
  readonly unread: UnreadCount;
  onError(thrown: unknown): void;
}

/** A reply, and the principal that asked for it. */
interface KeptReply {
  readonly principal: string;
  readonly reply: ModelReply;
  cancelTimer: (() => void) | undefined;
}

/** Ended replies of one principal that are kept for a reader that was cut at the end. */
const maxEnded = 16;
/** Aborted requests that are remembered: the abort may overtake its request. */
const maxAborted = 1_000;

export class ModelProxy {
  readonly #options: ProxyOptions;
  readonly #parts: ModelProxyParts;
  readonly #budget: Budget;
  readonly #models: ReadonlyMap<string, Model>;
  /** Oldest first. */
  readonly #replies = new Map<string, KeptReply>();
  readonly #aborted = new Set<string>();

  constructor(options: ProxyOptions, parts: ModelProxyParts) {
    this.#options = options;
    this.#parts = parts;
    this.#budget = new Budget(options.budget, options.ledger, parts.clock.now);
    this.#models = new Map(
      Object.entries(options.models).map(([name, choice]) => [
        name,
        "stream" in choice ? { provider: choice, id: "" } : choice,
      ]),
    );
  }

  get offered(): readonly OfferedModel[] {
    return Array.from(this.#models, ([name, { provider, facts }]) => {
      const { contextWindow = provider.contextWindow, maxOutputTokens } = facts ?? {};
      return {
        name,
        ...(contextWindow !== undefined && { contextWindow }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      };
    });
  }

  /** Number of replies under way. */
  get size(): number {
    return [...this.#replies.values()].filter(({ reply }) => !reply.isOver).length;
  }

  /** The reply to this request, which is sent unless it was. Fails with `invalid_request`, `aborted`, `too_many_streams` and `budget_exceeded`. */
  async open(principal: string, request: ModelRequest): Promise<ModelReply> {
    const model = this.#models.get(request.model);
    if (model === undefined) {
      const message = `must be one of: ${[...this.#models.keys()].join(", ")}`;
      throw invalidRequest("Unknown model", [{ path: "model", message }]);
    }
    const meter = new ReplyMeter(request, model.price);
    const key = keyOf(principal, request.id);
    const known = this.#replies.get(key);
    if (known !== undefined) return known.reply;
    this.#mustHaveRoom(principal);
    await this.#budget.admit(principal, meter);
    // Repeated while the ledger was read, or aborted.
    const other = this.#replies.get(key);
    if (other === undefined && !this.#aborted.delete(key)) {
      return this.#start(key, principal, meter, model, request);
    }
    await this.#budget.settle(principal, meter);
    if (other !== undefined) return other.reply;
    throw new ServerError("aborted", `The request "${request.id}" was aborted`);
  }

  /** Fails with `not_found`. */
  find(principal: string, id: string): ModelReply {
    const found = this.#replies.get(keyOf(principal, id));
    if (found !== undefined) return found.reply;
    throw new ServerError("not_found", `Unknown request "${id}": it has ended, or was never sent`);
  }

  /** Returns whether the reply had ended. */
  abort(principal: string, id: string): boolean {
    const key = keyOf(principal, id);
    const found = this.#replies.get(key);
    if (found !== undefined) {
      const { isOver } = found.reply;
      found.reply.abort("The client has aborted the request");
      this.#forget(key);
      return isOver;
    }
    this.#aborted.add(key);
    const [oldest] = this.#aborted;
    if (this.#aborted.size > maxAborted && oldest !== undefined) this.#aborted.delete(oldest);
    return true;
  }

  /** Starts the time that the reply waits for a reader; `hold` ends it. */
  release(reply: ModelReply): void {
    const [key, kept] = this.#entryOf(reply) ?? [];
    if (key === undefined || kept === undefined) return;
    const { timer, idleTimer = timer } = this.#parts.clock;
    kept.cancelTimer?.();
    kept.cancelTimer = idleTimer(this.#options.resumeMs ?? 30_000, () => this.#forget(key));
  }

  hold(reply: ModelReply): void {
    const [, kept] = this.#entryOf(reply) ?? [];
    kept?.cancelTimer?.();
    if (kept !== undefined) kept.cancelTimer = undefined;
  }

  /** Frame that ends the streams of a server that closes. */
  get closingFrame(): string {
    const message = "This server is shutting down: reconnect later or to another server";
    const error = toWireError(new ProviderError("overloaded", message), message);
    const frame: ModelFrame = { type: "error", error };
    return `data: ${JSON.stringify(frame)}\n\n`;
  }

  close(): void {
    for (const key of this.#replies.keys()) this.#forget(key);
  }

  #start(
    key: string,
    principal: string,
    meter: ReplyMeter,
    { provider, id, facts }: Model,
    request: ModelRequest,
  ): ModelReply {
    const { id: _id, model: _model, options, ...asked } = request;
    const { sessionId, ...chosen } = options;
    const { limits, unread } = this.#parts;
    const reply: ModelReply = new ModelReply({
      stream: (signal) =>
        provider.stream({
          ...asked,
          signal,
          options: {
            ...chosen,
            ...(id !== "" && { model: id }),
            ...(facts && { modelFacts: facts }),
            // Principals with the same id must not share a prompt cache.
            ...(sessionId !== undefined && {
              sessionId: hashJson([principal, sessionId]).slice(0, 40),
            }),
          },
        }),
      onPart: (part) => meter.take(part),
      toWireError: (thrown) => this.#toWireError(thrown),
      onOver: () => {
        background(this.#budget.settle(principal, meter), (thrown) => this.#parts.onError(thrown));
        this.#dropOldest(principal);
      },
      maxUnreadChars: limits.maxUnreadChars,
      maxReplayChars: this.#options.maxReplayChars ?? 1_000_000,
      unread,
    });
    this.#replies.set(key, { principal, reply, cancelTimer: undefined });
    return reply;
  }

  #mustHaveRoom(principal: string): void {
    const { streamsPerPrincipal: limit } = this.#parts.limits;
    const open = [...this.#replies.values()].filter(
      (kept) => kept.principal === principal && !kept.reply.isOver,
    );
    if (open.length < limit) return;
    const message = `The limit of ${limit} open requests is reached: abort one, or retry later`;
    throw new ServerError("too_many_streams", message, { headers: { "retry-after": "1" } });
  }

  #dropOldest(principal: string): void {
    const ended = Array.from(this.#replies).filter(
      ([, kept]) => kept.principal === principal && kept.reply.isOver && !kept.reply.listener,
    );
    for (const [key] of ended.slice(0, -maxEnded)) this.#forget(key);
  }

  #forget(key: string): void {
    const kept = this.#replies.get(key);
    kept?.cancelTimer?.();
    this.#replies.delete(key);
    kept?.reply.drop();
  }

  #entryOf(reply: ModelReply): readonly [string, KeptReply] | undefined {
    return Array.from(this.#replies).find(([, kept]) => kept.reply === reply);
  }

  #toWireError(thrown: unknown): WireProviderError {
    const error = isProviderError(thrown) ? thrown : brokenProvider(thrown);
    if (error !== thrown) this.#parts.onError(thrown);
    return toWireError(error, this.#parts.view.error(serializeError(error)).message);
  }
}

/** By its shape: the error may come from another copy of the package. */
function isProviderError(thrown: unknown): thrown is ProviderError {
  return isCapstanError(thrown) && thrown.name === "ProviderError";
}

function brokenProvider(cause: unknown): ProviderError {
  return new ProviderError("protocol", "The provider failed", { cause, retryable: false });
}

function keyOf(principal: string, id: string): string {
  return JSON.stringify([principal, id]);
}
