/** Decodes a reply part by part. */
import type { JsonValue, Origin, ProviderPart } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { explainNoAnswer } from "../projection/no-answer.ts";
import type { TargetOrigin } from "../wire/protocol.ts";
import { CallBlocks } from "./decode-calls.ts";
import { decodeNative } from "./decode-native.ts";
import { ProseBlocks } from "./decode-prose.ts";
import { toProviderError } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { isFields, toJson, unreadablePart } from "./fields.ts";
import { isUnstated, statedReason, toFinishReason } from "./finish-reasons.ts";
import { toUsage } from "./reply-usage.ts";

export class ReplyDecoder {
  readonly #origin: TargetOrigin;
  readonly #prose = new ProseBlocks();
  readonly #calls: CallBlocks;
  readonly #isStreaming: boolean;
  /** Facts about the reply other than its content. */
  readonly #metadata: Record<string, JsonValue> = {};
  #hasStarted = false;
  #isFinished = false;

  /** `declared`: names of the tools that the caller runs. */
  constructor(origin: TargetOrigin, declared: ReadonlySet<string>, isStreaming: boolean) {
    this.#origin = origin;
    this.#isStreaming = isStreaming;
    this.#calls = new CallBlocks(declared);
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Decodes one part and pushes the results. Parts already pushed stay valid even if it throws. */
  take(part: unknown, parts: ProviderPart[]): void {
    if (!isFields(part)) throw unreadablePart("is not an object", part);
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      parts.push({ type: "start", origin: this.#origin });
    }
    switch (part["type"]) {
      case "text-delta":
        return this.#prose.delta("text", part, parts);
      case "reasoning-delta":
        return this.#prose.delta("thinking", part, parts);
      case "tool-input-delta":
        return this.#calls.delta(part, parts);
      case "text-start":
        return this.#prose.start("text", part, parts);
      case "text-end":
        return this.#prose.end("text", part, parts);
      case "reasoning-start":
        return this.#prose.start("thinking", part, parts);
      case "reasoning-end":
        return this.#prose.end("thinking", part, parts);
      case "tool-input-start":
        this.#prose.close(parts);
        return this.#calls.start(part, parts);
      case "tool-call":
        this.#prose.close(parts);
        return this.#calls.end(part, parts);
      case "stream-start":
        return this.#learn({ warnings: part["warnings"] });
      case "response-metadata":
        return this.#describe(part, parts);
      case "finish":
        return this.#finish(part, parts);
      case "error":
        throw toProviderError(part["error"], this.#origin);
      default:
        return this.#other(part, parts);
    }
  }

  /** Must be called when the stream ends. Throws if the reply is incomplete. */
  end(): void {
    if (!this.#isFinished) throw this.#cutOff();
  }

  #cutOff(): ProviderError {
    const { provider } = this.#origin;
    const problem = this.#hasStarted ? "before the reply was complete" : "before the reply began";
    return new ProviderError("network", `${provider} ended its stream ${problem}: retry`);
  }

  /** Unknown kinds count as pings. */
  #other(part: Fields, parts: ProviderPart[]): void {
    const decoded = decodeNative(part) ?? { type: "ping" };
    if (decoded.type === "native") this.#prose.close(parts);
    parts.push(decoded);
  }

  #describe({ id, modelId, timestamp }: Fields, parts: ProviderPart[]): void {
    this.#learn({ id, modelId, timestamp });
    parts.push({ type: "start", metadata: { ...this.#metadata } });
  }

  #finish(part: Fields, parts: ProviderPart[]): void {
    this.#prose.close(parts);
    const usage = toUsage(part["usage"]);
    const stated = statedReason(part);
    const raw = isFields(part["usage"]) ? part["usage"]["raw"] : undefined;
    this.#learn({
      finishReason: stated?.raw,
      usage: raw,
      providerMetadata: part["providerMetadata"],
    });
    if (stated === undefined) throw unreadablePart("has no finishReason", part);
    if (stated.unified === "error" || stated.unified === "interrupted") {
      if (usage !== undefined) parts.push({ type: "usage", usage });
      throw failedReply(stated.unified, stated.raw, this.#origin);
    }
    if (this.#isStreaming && isUnstated(stated) && !this.#calls.isEmpty) {
      if (usage !== undefined) parts.push({ type: "usage", usage });
      throw this.#cutOff();
    }
    this.#isFinished = true;
    if (stated.unified === "content-filter" && !this.#prose.hasText) {
      explainNoAnswer(blockOf(stated.raw, this.#origin), parts);
    }
    parts.push({
      type: "finish",
      reason: toFinishReason(stated),
      ...(usage !== undefined && { usage }),
      metadata: this.#metadata,
    });
  }

  /** Keeps the fields that are not empty. */
  #learn(fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) {
      const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
      const kept = isEmpty ? undefined : toJson(value);
      if (kept !== undefined) this.#metadata[name] = kept;
    }
  }
}

function blockOf(raw: string | undefined, { provider }: Origin): string {
  return `${provider} blocked its reply: ${raw ?? "content filter"}.`;
}

function failedReply(
  unified: "error" | "interrupted",
  raw: string | undefined,
  { provider }: Origin,
): ProviderError {
  if (unified === "interrupted") {
    return new ProviderError("network", `${provider} interrupted its reply: retry`);
  }
  const why = raw === undefined || raw === "error" ? "gave no reason" : `calls it "${raw}"`;
  // The cause is unknown, but a retry is unlikely to fail in the same way.
  return new ProviderError("protocol", `${provider} failed to finish its reply and ${why}`, {
    retryable: true,
  });
}
