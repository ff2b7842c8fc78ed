/** One attempt at a model, as the iterator that the kernel reads. */
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
 * Nothing happens before the first `next`. Written by hand: a generator would cost a frame and two more promises for every part, and
 * could not be left while it waits. What came before a failure is handed out before the failure is.
 */
export class ReplyStream implements AsyncIterableIterator<ProviderPart, undefined> {
  readonly #vendor: Vendor;
  readonly #options: ProviderOptions;
  readonly #fetch: WireFetch;
  readonly #request: ProviderRequest;
  /** Ours, so that to leave ends a request that nobody has answered yet. */
  readonly #controller = new AbortController();
  readonly #parts: ProviderPart[] = [];
  #at = 0;
  #filling: Promise<void> | undefined;
  #source: PartSource | undefined;
  #secrets: Secrets | undefined;
  #unwrapper: AnswerUnwrapper | undefined;
  #failure: { readonly thrown: unknown } | undefined;
  /** The finish was handed out. */
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
    if (part === undefined) return this.#nextOfNextPiece();
    this.#at++;
    if (part.type === "finish") this.#isFinished = true;
    return Promise.resolve({ value: part, done: false });
  }

  return(): Promise<Result> {
    this.#leave();
    return Promise.resolve(done);
  }

  async #nextOfNextPiece(): Promise<Result> {
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
    // Who left meanwhile wants to hear no more of it.
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
    // The reason of an abort is the caller's and goes back to it as it is.
    this.#request.signal.throwIfAborted();
    const error = thrown instanceof ProviderError ? thrown : this.#faultOfProtocol(thrown);
    throw this.#secrets?.hideIn(error) ?? error;
  }

  /** Whatever else is thrown is something that the code of the protocol did not expect. */
  #faultOfProtocol(thrown: unknown): ProviderError {
    const { name, protocol } = this.#vendor;
    const fault =
      this.#source === undefined
        ? `A request to ${name} could not be made`
        : `${name} sent something that cannot be read`;
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return new ProviderError("protocol", `${fault} as ${protocol.id}: ${what}`, { cause: thrown });
  }

  /** Nobody wants more of it. */
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
