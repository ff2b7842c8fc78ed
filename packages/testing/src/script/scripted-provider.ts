/** A real provider with scripted replies. */
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

/** Options of `scriptedProvider`. */
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

/** A request as it was at the time of the call; later changes do not affect it. */
export interface RecordedRequest {
  readonly messages: readonly ChatMessage[];
  /** Names of the declared tools. */
  readonly tools: readonly string[];
  readonly toolChoice: ProviderRequest["toolChoice"];
  /** Same object that the provider got. */
  readonly options: ProviderStreamOptions;
  readonly conversationId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  /** Read from the request on access. */
  readonly signal: AbortSignal;
}

/** A provider that follows a script and records the requests it gets. */
export interface ScriptedProvider extends ProviderContract {
  readonly contextWindow: number;
  readonly requests: readonly RecordedRequest[];
  /** Number of streams that have started and not ended: 0 once all readers have left. */
  readonly openStreams: number;
  /** Throws if an item of the script was not used, or if a call came after its end. */
  assertComplete(): void;
}

/**
 * Creates a provider that follows a script. Each call takes the next item of the script. A call beyond its end
 * fails with a `ProviderError` (`protocol`) that gives the number of the call.
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

/** A waiting generator cannot be returned, so the reply is closed first. */
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
