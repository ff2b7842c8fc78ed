/** One attempt at a model of the AI SDK, as the iterator that the kernel reads. */
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
import { leaveStream } from "./leave-stream.ts";
import type { AiSdkModel } from "./model.ts";
import { originOf } from "./origin.ts";
import { withRejectedMedia } from "./rejected-media.ts";
import { partsOfWhole } from "./whole-reply.ts";

/** Nothing happens before the first `next`. What came before a failure is handed out before the failure is. */
export class ReplyReader implements AsyncIterableIterator<ProviderPart, undefined> {
  readonly #model: AiSdkModel;
  readonly #request: ProviderRequest;
  readonly #origin: TargetOrigin;
  readonly #decoder: ReplyDecoder;
  readonly #room: RoomCheck;
  /** Ours, so that to leave ends a request that nobody has answered yet. */
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

  /** Also while a part is waited for, which a generator alone would wait for first. */
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
      // The reason of an abort is the caller's and goes back to it as it is.
      signal.throwIfAborted();
      // Who left meanwhile wants to hear no more of it.
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
    if (stream === undefined) throw unreadablePart("is no answer: it has no stream", answer);
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

  /** `undefined`: no more will come. */
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

  /** A model that does not care for the signal is not waited for. */
  async #ask(ask: (options: never) => PromiseLike<unknown>): Promise<unknown> {
    const { signal } = this.#controller;
    const options = encodeRequest(this.#model, this.#request, this.#origin, signal);
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    const onStop = (): void => reject(signal.reason);
    signal.addEventListener("abort", onStop);
    // They are those of the model's version, says a type test. A model may also throw at once.
    const asked = (async () => ask(options as never))();
    try {
      return await Promise.race([asked, stopped]);
    } finally {
      signal.removeEventListener("abort", onStop);
      if (signal.aborted) asked.then(refuse, () => {});
    }
  }

  readonly #onAbort = (): void => this.#stop(this.#request.signal.reason);

  /** Nobody wants more of it. A read that is under way ends at once. */
  #stop(reason: unknown): void {
    this.#controller.abort(reason);
    // Nobody waits for the rest, so nobody has a use for its failure.
    this.#reader?.cancel(reason).catch(() => {});
  }

  #leave(): void {
    if (this.#reader !== undefined) leaveStream(this.#reader);
  }
}

function streamIn(answer: unknown): ReadableStream<unknown> | undefined {
  const stream = isFields(answer) ? answer["stream"] : undefined;
  if (!isFields(stream) || typeof stream["getReader"] !== "function") return undefined;
  // By its shape: programs may bring streams of their own.
  return stream as unknown as ReadableStream<unknown>;
}

/** An answer that came when no caller waited for it any more. */
function refuse(answer: unknown): void {
  // The answer is not wanted, so a failure to stop it changes nothing.
  streamIn(answer)
    ?.cancel()
    .catch(() => {});
}
