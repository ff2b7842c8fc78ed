/** Plays one item of a script as one HTTP answer. */
import { ProviderError } from "@capstan/kernel";
import { playReply } from "../script/play-reply.ts";
import { ReplyUnderWay } from "../script/script-item.ts";
import type { ScriptItem } from "../script/script-item.ts";
import type { EmulatedRequest } from "./emulated-request.ts";
import type { AcceptedRequest, Emulation, ReplyWriter } from "./emulation.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import type { Refusal } from "./refusal.ts";
import { toRefusal } from "./scripted-failure.ts";
import { WireFault } from "./wire-faults.ts";

export interface ReplyExchange {
  readonly emulation: Emulation;
  readonly accepted: AcceptedRequest;
  readonly request: EmulatedRequest;
  readonly answer: HttpAnswer;
  sendError(refusal: Refusal): void;
}

/** Resolves when nothing more will be sent. Faults of the script reach the client. */
export async function answerWith(item: ScriptItem, exchange: ReplyExchange): Promise<void> {
  const { accepted, request, answer } = exchange;
  const reply = new ReplyUnderWay(request);
  const writer = accepted.reply();
  if (accepted.streamType !== undefined) answer.streamType = accepted.streamType;
  let hasFinished = false;
  try {
    for await (const part of playReply(item, reply, {})) {
      hasFinished ||= part.type === "finish";
      const events = writer.take(part);
      if (accepted.isStreaming) await answer.stream(events);
    }
    await (hasFinished ? end(exchange, writer) : cutOff(exchange));
  } catch (error) {
    // A client that has left gets nothing more.
    if (!answer.left.aborted) await fail(error, exchange, writer);
  }
}

function end({ accepted, answer }: ReplyExchange, writer: ReplyWriter): void {
  if (accepted.isStreaming) answer.endStream();
  else answer.send(200, writer.body());
}

/** A stream can end early without an error; a complete body can only break. */
async function cutOff({ accepted, answer }: ReplyExchange): Promise<void> {
  if (accepted.isStreaming) answer.endStream();
  else await answer.cut('{"content":[');
}

async function fail(error: unknown, exchange: ReplyExchange, writer: ReplyWriter): Promise<void> {
  const { emulation, accepted, answer, sendError } = exchange;
  if (error instanceof WireFault) return failOnTheWire(error, exchange);
  const code = error instanceof ProviderError ? error.code : undefined;
  if (code === "network") return answer.cut();
  if (code === "protocol") return failInForm(exchange);
  const cause = error instanceof Error ? error : new Error(String(error));
  const refusal = toRefusal(cause, emulation.failures);
  if (!answer.hasBegun) return sendError(refusal);
  if (accepted.isStreaming) await answer.stream(writer.fail(refusal));
  answer.endStream();
}

async function failOnTheWire(fault: WireFault, exchange: ReplyExchange): Promise<void> {
  const { accepted, answer } = exchange;
  if (fault.answer !== undefined && !answer.hasBegun) {
    const { status, headers, body = "" } = fault.answer;
    return answer.sendText(status, body, headers);
  }
  if (accepted.isStreaming) await answer.cutStream('event: half\ndata: {"type":');
  else await answer.cut('{"content":[');
}

/** Sends something that no client can parse. */
function failInForm({ emulation, accepted, answer }: ReplyExchange): void {
  const { brokenEvent = 'event: broken\ndata: {"type":\n\n' } = emulation;
  if (accepted.isStreaming) answer.endStream(brokenEvent);
  else answer.sendText(200, "<html>", { "content-type": "application/json" });
}
