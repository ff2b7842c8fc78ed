/** One attempt to get a reply from a model, as the iterator the kernel reads. */
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import type { ProviderOptions, Vendor } from "../wire/vendor.ts";
import { withFetchedMedia } from "./fetched-media.ts";
import { openReply } from "./open-reply.ts";
import type { PartSource } from "./part-source.ts";
import type { WireFetch } from "./proxied-fetch.ts";
import { Secrets } from "./secrets.ts";
import { AnswerUnwrapper } from "./unwrap-answer.ts";
import { prepareCall } from "./wire-call.ts";

type Result = IteratorResult<ProviderPart, undefined>;

const done: Result = { value: undefined, done: true };

/**
 * Does nothing before the first `next`. Written by hand: a generator would cost a frame and two more promises for every part, and
 * could not be left while it waits. Yields the parts that arrived before a failure, then throws.
 */
export class ReplyStream implements AsyncIterableIterator<ProviderPart, undefined> {
  readonly #vendor: Vendor;
  readonly #options: ProviderOptions;
  readonly #fetch: WireFetch;
  readonly #request: ProviderRequest;
  /** Our own, so that leaving also ends a request that has no response yet. */
  readonly #controller = new AbortController();
  readonly #parts: ProviderPart[] = [];
  #at = 0;
  #filling: Promise<void> | undefined;
  #source: PartSource | undefined;
  #secrets: Secrets | undefined;
  #unwrapper: AnswerUnwrapper | undefined;
  #failure: { readonly thrown: unknown } | undefined;
  /** Whether the finish part has been returned. */
  #isFinished = false;
  #isOver = false;
  #isLeft = false;

  constructor(
    vendor: Vendor,
    options: ProviderOptions,
    fetch: WireFetch,
    request: ProviderRequest,
  ) {
    this.#vendor = vendor;
    this.#options = options;
    this.#fetch = fetch;
    this.#request = request;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const part = this.#parts[this.#at];
    if (part === undefined) return this.#nextOfNextChunk();
    this.#at++;
    if (part.type === "finish") this.#isFinished = true;
    return Promise.resolve({ value: part, done: false });
  }

  return(): Promise<Result> {
    this.#leave();
    return Promise.resolve(done);
  }

  async #nextOfNextChunk(): Promise<Result> {
    while (this.#at >= this.#parts.length) {
      if (this.#failure !== undefined) return this.#fail(this.#failure.thrown);
      if (this.#isOver) return done;
      await (this.#filling ??= this.#fill());
    }
    return this.next();
  }

  async #fill(): Promise<void> {
    this.#parts.length = 0;
    this.#at = 0;
    try {
      const source = (this.#source ??= await this.#open());
      if (this.#isLeft) source.leave(false);
      else if (!(await source.fill(this.#parts))) this.#end();
    } catch (thrown) {
      this.#failure = { thrown };
    }
    this.#unwrapper?.apply(this.#parts);
    // The consumer left in the meantime and needs no parts.
    if (this.#isLeft) this.#forget();
    this.#filling = undefined;
  }

  async #open(): Promise<PartSource> {
    const { signal } = this.#request;
    signal.throwIfAborted();
    signal.addEventListener("abort", this.#onAbort);
    const call = prepareCall(this.#vendor, this.#options, await this.#withMedia());
    this.#secrets = new Secrets(call.headers);
    if (call.wire.isWrapped === true) this.#unwrapper = new AnswerUnwrapper();
    return openReply(call, this.#secrets, this.#fetch, this.#controller.signal);
  }

  #withMedia(): ProviderRequest | Promise<ProviderRequest> {
    const { fetchMedia } = this.#options;
    if (fetchMedia === undefined) return this.#request;
    return withFetchedMedia(this.#request, this.#vendor, fetchMedia, this.#controller.signal);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#request.signal.reason);

  #fail(thrown: unknown): never {
    this.#leave();
    // The abort reason belongs to the caller and is thrown unchanged.
    this.#request.signal.throwIfAborted();
    const error = thrown instanceof ProviderError ? thrown : this.#faultOfProtocol(thrown);
    throw this.#secrets?.hideIn(error) ?? error;
  }

  /** Any other error means that the protocol's code met something unexpected. */
  #faultOfProtocol(thrown: unknown): ProviderError {
    const { name, protocol } = this.#vendor;
    const fault =
      this.#source === undefined
        ? `A request to ${name} could not be encoded`
        : `A reply of ${name} could not be decoded`;
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return new ProviderError("protocol", `${fault} as ${protocol.id}: ${what}`, { cause: thrown });
  }

  /** Stops the request and drops the remaining parts. */
  #leave(): void {
    this.#isLeft = true;
    this.#end();
    this.#forget();
    this.#source?.leave(this.#isFinished);
    if (!this.#isFinished) this.#controller.abort();
  }

  #end(): void {
    this.#isOver = true;
    this.#request.signal.removeEventListener("abort", this.#onAbort);
  }

  #forget(): void {
    this.#parts.length = 0;
    this.#failure = undefined;
  }
}
