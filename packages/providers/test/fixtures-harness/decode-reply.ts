/** A recorded reply on the way that real ones take: transport, protocol, and the kernel that assembles the message. */
import type {
  AssistantMessage,
  ProviderContract,
  ProviderPart,
  ProviderStreamOptions,
} from "@capstan/kernel";
import { ProviderError, runTurn } from "@capstan/kernel";
import { keepFailure } from "../../src/projection/kept-failure.ts";
import { createProvider } from "../../src/transport/create-provider.ts";
import type { Vendor } from "../../src/wire/vendor.ts";
import type { FixtureReply } from "./fixtures.ts";
import { inOnePiece, replayFetch } from "./replay.ts";

export interface DecodedReply {
  /** What the provider handed to the kernel. */
  readonly parts: readonly ProviderPart[];
  /** What the kernel made of it; undefined if nothing came. Its calls have not been run. */
  readonly message: AssistantMessage | undefined;
  /** The error of the attempt, if it failed. */
  readonly error: ProviderError | undefined;
}

export async function decodeReply(
  vendor: Vendor,
  reply: FixtureReply,
  chunks: readonly Uint8Array[] = inOnePiece(reply),
  options: ProviderStreamOptions = {},
  through: (provider: ProviderContract) => ProviderContract = (provider) => provider,
): Promise<DecodedReply> {
  const provider = createProvider(vendor, {
    apiKey: "test-key",
    fetch: replayFetch(reply, chunks),
    stream: reply.isStream,
  });
  return readReply(through(provider), reply.expect.tool_calls, options);
}

/** One step of a turn. All tools are remote, so that nothing runs. */
async function readReply(
  provider: ProviderContract,
  calls: FixtureReply["expect"]["tool_calls"],
  options: ProviderStreamOptions,
): Promise<DecodedReply> {
  const parts: ProviderPart[] = [];
  const kept = keepFailure(recordParts(provider, parts));
  const names = [...new Set(calls.map(({ name }) => name))];
  const result = await runTurn({
    provider: kept.provider,
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    tools: names.map((name) => ({ name, description: "", inputSchema: { type: "object" } })),
    dispatch: {},
    emit: () => {},
    conversationId: "c1",
    turnId: "t1",
    providerOpts: { model: "a-model", ...options },
    limits: { maxSteps: 1, stopWhen: () => true },
  });
  const thrown = kept.thrown();
  if (thrown !== undefined && !(thrown instanceof ProviderError)) throw thrown as Error;
  return {
    parts,
    message: result.messages.find((message) => message.role === "assistant"),
    error: thrown,
  };
}

function recordParts(provider: ProviderContract, parts: ProviderPart[]): ProviderContract {
  return {
    ...provider,
    async *stream(request) {
      for await (const part of provider.stream(request)) {
        parts.push(part);
        yield part;
      }
    },
  };
}
