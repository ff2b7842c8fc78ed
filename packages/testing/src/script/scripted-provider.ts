/** A real provider whose replies are written down beforehand. */
import { ProviderError } from "@capstan/kernel";
import type {
  ChatMessage,
  Origin,
  ProviderContract,
  ProviderPart,
  ProviderRequest,
  ProviderStreamOptions,
  Usage,
} from "@capstan/kernel";
import { playReply } from "./play-reply.ts";
import { ReplyUnderWay } from "./script-item.ts";
import type { ScriptItem } from "./script-item.ts";
import { assertScriptUsed, beyondTheEnd } from "./script-progress.ts";

export interface ScriptedProviderOptions {
  /** Default `scripted`. */
  readonly id?: string;
  /** Default 128,000. */
  readonly contextWindow?: number;
  /** Reported by every reply that reports no usage itself. Without it such a reply reports none. */
  readonly usage?: Usage;
  /** Stated at the start of every reply. */
  readonly origin?: Origin;
}

/** A request as it was when the call came; later changes do not reach it. */
export interface RecordedRequest {
  readonly messages: readonly ChatMessage[];
  /** The names of the declared tools. */
  readonly tools: readonly string[];
  readonly toolChoice: ProviderRequest["toolChoice"];
  /** The same object that the provider got. */
  readonly options: ProviderStreamOptions;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  /** Read from the request only when it is read here. */
  readonly signal: AbortSignal;
}

export interface ScriptedProvider extends ProviderContract {
  readonly contextWindow: number;
  readonly requests: readonly RecordedRequest[];
  /** Streams that have begun and not ended: 0 once everybody has left. */
  readonly openStreams: number;
  /** Throws if an item of the script was not used, or if a call came after its end. */
  assertComplete(): void;
}

/**
 * Each call takes the next item of the script. A call beyond its end fails with a `ProviderError` (`protocol`) that
 * says which call it was.
 */
export function scriptedProvider(
  script: readonly ScriptItem[],
  options: ScriptedProviderOptions = {},
): ScriptedProvider {
  const { id = "scripted", contextWindow = 128_000, usage, origin } = options;
  const requests: RecordedRequest[] = [];
  let openStreams = 0;

  async function* answer(
    item: ScriptItem | undefined,
    call: number,
    reply: ReplyUnderWay,
  ): AsyncGenerator<ProviderPart, void> {
    openStreams += 1;
    try {
      if (item === undefined) throw new ProviderError("protocol", beyondTheEnd(call, script));
      yield* playReply(item, reply, { usage, origin });
    } finally {
      openStreams -= 1;
    }
  }

  return {
    id,
    contextWindow,
    requests,
    get openStreams() {
      return openStreams;
    },
    stream(request) {
      const call = requests.push(recordRequest(request));
      const reply = new ReplyUnderWay(request);
      return endingWhenLeft(answer(script[call - 1], call, reply), reply);
    },
    assertComplete() {
      assertScriptUsed(`provider "${id}"`, script, requests.length);
    },
  };
}

function recordRequest(request: ProviderRequest): RecordedRequest {
  return {
    messages: [...request.messages],
    tools: request.tools.map((tool) => tool.name),
    toolChoice: request.toolChoice,
    options: request.options,
    conversationId: request.conversationId,
    turnId: request.turnId,
    step: request.step,
    attempt: request.attempt,
    get signal() {
      return request.signal;
    },
  };
}

/** A generator that waits cannot be returned, so the reply is told first that its reader left. */
function endingWhenLeft(
  parts: AsyncGenerator<ProviderPart, void>,
  reply: ReplyUnderWay,
): AsyncIterableIterator<ProviderPart> {
  return {
    next: () => parts.next(),
    return: () => {
      reply.close();
      return parts.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
