/** One attempt to get a reply from an AI SDK model, as the iterator the kernel reads. */
import type { ProviderPart, ProviderRequest } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";
import { needsWrapper } from "../projection/wrapped-output.ts";
import { RoomCheck } from "../transport/full-context.ts";
import { AnswerUnwrapper } from "../transport/unwrap-answer.ts";
import { isRunByCaller } from "./declared-tool.ts";
import { ReplyDecoder } from "./decode.ts";
import { encodeRequest } from "./encode-request.ts";
import { toProviderError } from "./errors.ts";
import { isFields, unreadablePart } from "./fields.ts";
import type { AiSdkModel } from "./model.ts";
import { originOf } from "./origin.ts";
import { withRejectedMedia } from "./rejected-media.ts";
import { partsOfWhole } from "./whole-reply.ts";

/** Does nothing before the first `next`. Yields the parts that arrived before a failure, then throws. */
export class ReplyReader implements AsyncIterableIterator<ProviderPart, undefined> {
  readonly #model: AiSdkModel;
  readonly #request: ProviderRequest;
  readonly #origin: TargetOrigin;
  readonly #decoder: ReplyDecoder;
  readonly #room: RoomCheck;
  /** Our own, so that leaving also ends a request that has no response yet. */
  readonly #controller = new AbortController();
  readonly #parts: AsyncGenerator<ProviderPart, undefined>;
  #unwrapper: AnswerUnwrapper | undefined;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;

  constructor(model: AiSdkModel, request: ProviderRequest, isStreaming: boolean) {
    this.#model = model;
    this.#request = request;
    this.#origin = originOf(model);
    const declared = request.tools.filter(isRunByCaller).map(({ name }) => name);
    this.#decoder = new ReplyDecoder(this.#origin, new Set(declared), isStreaming);
    const { output, modelFacts } = request.options;
    if (output !== undefined && needsWrapper(output.schema)) {
      this.#unwrapper = new AnswerUnwrapper();
    }
    this.#room = new RoomCheck(this.#origin.provider, modelFacts?.contextWindow);
    this.#parts = this.#read(isStreaming);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ProviderPart, undefined>> {
    return this.#parts.next();
  }

  /** Works even while a part is pending; a generator alone would wait for that part first. */
  return(): Promise<IteratorResult<ProviderPart, undefined>> {
    if (!this.#decoder.isFinished) this.#stop(undefined);
    return this.#parts.return(undefined);
  }

  async *#read(isStreaming: boolean): AsyncGenerator<ProviderPart, undefined> {
    const { signal } = this.#request;
    signal.throwIfAborted();
    signal.addEventListener("abort", this.#onAbort);
    try {
      yield* isStreaming ? this.#readStream() : this.#readWhole();
    } catch (thrown) {
      // The abort reason belongs to the caller and is thrown unchanged.
      signal.throwIfAborted();
      // The consumer left in the meantime and needs no error.
      if (this.#controller.signal.aborted) return undefined;
      throw withRejectedMedia(toProviderError(thrown, this.#origin), this.#request.messages);
    } finally {
      signal.removeEventListener("abort", this.#onAbort);
      if (this.#decoder.isFinished) this.#leave();
      else this.#stop(undefined);
    }
    return undefined;
  }

  async *#readStream(): AsyncGenerator<ProviderPart, undefined> {
    const answer = await this.#ask((options) => this.#model.doStream(options));
    const stream = streamIn(answer);
    if (stream === undefined) throw unreadablePart("is not a response: it has no stream", answer);
    const reader = stream.getReader();
    this.#reader = reader;
    while (!this.#decoder.isFinished) {
      const { value, done } = await reader.read();
      this.#controller.signal.throwIfAborted();
      yield* this.#decode(done ? undefined : [value]);
    }
    return undefined;
  }

  async *#readWhole(): AsyncGenerator<ProviderPart, undefined> {
    const answer = await this.#ask((options) => this.#model.doGenerate(options));
    yield* this.#decode(partsOfWhole(answer));
    return undefined;
  }

  /** `undefined` means the end of the stream. */
  *#decode(received: readonly unknown[] | undefined): Generator<ProviderPart, void> {
    const parts: ProviderPart[] = [];
    let failure: { readonly thrown: unknown } | undefined;
    try {
      if (received === undefined) this.#decoder.end();
      else for (const part of received) this.#decoder.take(part, parts);
      this.#room.take(parts);
    } catch (thrown) {
      failure = { thrown };
    }
    this.#unwrapper?.apply(parts);
    yield* parts;
    if (failure !== undefined) throw failure.thrown;
  }

  /** Does not wait for a model that ignores the signal. */
  async #ask(ask: (options: never) => PromiseLike<unknown>): Promise<unknown> {
    const { signal } = this.#controller;
    const options = encodeRequest(this.#model, this.#request, this.#origin, signal);
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const onStop = (): void => reject(signal.reason);
    signal.addEventListener("abort", onStop);
    // A type test ensures that the options fit the model's version. A model may also throw synchronously.
    const asked = (async () => ask(options as never))();
    try {
      return await Promise.race([asked, stopped]);
    } finally {
      signal.removeEventListener("abort", onStop);
      if (signal.aborted) asked.then(refuse, () => {});
    }
  }

  readonly #onAbort = (): void => this.#stop(this.#request.signal.reason);

  /** Stops the request. A pending read ends at once. */
  #stop(reason: unknown): void {
    this.#controller.abort(reason);
    // No caller awaits the rest, so its failure does not matter.
    this.#reader?.cancel(reason).catch(() => {});
  }

  #leave(): void {
    if (this.#reader !== undefined) leaveStream(this.#reader);
  }
}

function streamIn(answer: unknown): ReadableStream<unknown> | undefined {
  const stream = isFields(answer) ? answer["stream"] : undefined;
  if (!isFields(stream) || typeof stream["getReader"] !== "function") return undefined;
  // Checked by shape: programs may bring their own stream classes.
  return stream as unknown as ReadableStream<unknown>;
}

/** Cancels a response that arrived after the caller had left. */
function refuse(answer: unknown): void {
  // The answer is not wanted, so a failure to stop it changes nothing.
  streamIn(answer)
    ?.cancel()
    .catch(() => {});
}

/** How long to wait for the end of a stream whose reply is complete. */
const drainMs = 1_000;

/** Reads to the end, which is near: a connection is reused only if its body was read completely. */
function leaveStream(reader: ReadableStreamDefaultReader<unknown>): void {
  const timeout = setTimeout(() => {
    // The reply is complete: failures of the rest do not matter.
    reader.cancel().catch(() => {});
  }, drainMs);
  // A number in browsers; in Node it must not keep the process alive.
  if (typeof timeout === "object") timeout.unref();
  const stop = (): void => clearTimeout(timeout);
  drain(reader).then(stop, stop);
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  while (!(await reader.read()).done);
}
