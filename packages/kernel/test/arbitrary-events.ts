/** Generates the live events of a turn: every order in which a kernel may show them, and no other. */
import type { AgentEvent, AgentEventBody, UserMessage } from "@capstan/kernel";
import * as fc from "fast-check";

export function inTurn(body: AgentEventBody): AgentEvent {
  return { ...body, conversationId: "c1", turnId: "t1" };
}

const starts = ["open message", "start text", "start thinking", "start call"] as const;
const deltas = ["prose delta", "call delta", "tool delta"] as const;
const ends = [
  "end message",
  "discard",
  "end prose",
  "end call",
  "tool end",
  "user message",
  "step end",
] as const;

interface Move {
  readonly kind: (typeof starts | typeof deltas | typeof ends)[number];
  /** Which of several: a call of the message, or a tool. */
  readonly pick: number;
  readonly delta: string;
}

/** Mostly small; now and then large enough for a few of them to fill a queue. */
const anyDelta: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.string({ maxLength: 4 }), weight: 2 },
  { arbitrary: fc.constantFrom("a", "b", "c").map((letter) => letter.repeat(600_000)), weight: 1 },
);

const anyMove: fc.Arbitrary<Move> = fc.record({
  // Most parts stay open for a while, or there would be little to see.
  kind: fc.oneof(
    { arbitrary: fc.constantFrom(...starts), weight: 3 },
    { arbitrary: fc.constantFrom(...deltas), weight: 4 },
    { arbitrary: fc.constantFrom(...ends), weight: 1 },
  ),
  pick: fc.nat({ max: 2 }),
  delta: anyDelta,
});

/** Live events of some turn; impossible moves are left out. */
export const anyEvents: fc.Arbitrary<readonly AgentEvent[]> = fc
  .array(anyMove, { maxLength: 80 })
  .map((path) => {
    const turn = new TurnUnderWay();
    return path.flatMap((move) => turn.make(move)).map(inTurn);
  });

class TurnUnderWay {
  #count = 0;
  #messageId: string | undefined;
  #prose: "text" | "thinking" | undefined;
  readonly #openCalls = new Set<number>();

  make(move: Move): AgentEventBody[] {
    const { pick, delta } = move;
    switch (move.kind) {
      case "tool delta":
        return [{ type: "tool_execution_delta", toolCallId: `k${pick}`, delta }];
      case "tool end":
        return [toolEnd(`k${pick}`)];
      case "user message":
        return this.#messageId === undefined ? userMessage(`u${this.#next()}`) : [];
      case "step end":
        return [{ type: "step_end", step: 1, finishReason: "stop" }];
      case "open message":
        return this.#messageId === undefined ? this.#open(`m${this.#next()}`) : [];
      default:
        return this.#messageId === undefined ? [] : this.#inMessage(move, this.#messageId);
    }
  }

  #inMessage({ kind, pick, delta }: Move, id: string): AgentEventBody[] {
    switch (kind) {
      case "end message": {
        const message = { role: "assistant", id, content: [], stopReason: "stop" } as const;
        return this.#close([{ type: "message_end", message }]);
      }
      case "discard": {
        const error = { name: "Error", message: "overloaded" };
        return this.#close([{ type: "attempt_discarded", step: 1, attempt: 1, error, delayMs: 0 }]);
      }
      case "start text":
        return [...this.#endProse(), ...this.#startProse("text")];
      case "start thinking":
        return [...this.#endProse(), ...this.#startProse("thinking")];
      case "end prose":
        return this.#endProse();
      case "prose delta":
        return this.#prose === undefined ? [] : [{ type: `${this.#prose}_delta`, delta }];
      case "start call":
        return this.#openCalls.has(pick) ? [] : this.#startCall(pick);
      case "call delta":
        return this.#openCalls.has(pick) ? [{ type: "toolcall_delta", index: pick, delta }] : [];
      case "end call":
        return this.#openCalls.delete(pick) ? [callEnd(pick, delta)] : [];
      default:
        return [];
    }
  }

  #next(): number {
    return (this.#count += 1);
  }

  #open(messageId: string): AgentEventBody[] {
    this.#messageId = messageId;
    return [{ type: "message_start", role: "assistant", messageId }];
  }

  #close(events: AgentEventBody[]): AgentEventBody[] {
    this.#messageId = undefined;
    this.#prose = undefined;
    this.#openCalls.clear();
    return events;
  }

  #startProse(kind: "text" | "thinking"): AgentEventBody[] {
    this.#prose = kind;
    return [{ type: `${kind}_start` }];
  }

  #endProse(): AgentEventBody[] {
    const prose = this.#prose;
    this.#prose = undefined;
    if (prose === undefined) return [];
    return [
      prose === "text" ? { type: "text_end", text: "" } : { type: "thinking_end", thinking: "" },
    ];
  }

  #startCall(index: number): AgentEventBody[] {
    this.#openCalls.add(index);
    const id = `k${this.#next()}`;
    return [...this.#endProse(), { type: "toolcall_start", index, id, name: "echo" }];
  }
}

function callEnd(index: number, input: string): AgentEventBody {
  const toolCall = { type: "tool_call", id: "k", name: "echo", input } as const;
  return { type: "toolcall_end", index, toolCall };
}

function toolEnd(toolCallId: string): AgentEventBody {
  return { type: "tool_execution_end", toolCallId, toolName: "echo", output: "", isError: false };
}

function userMessage(id: string): AgentEventBody[] {
  const message: UserMessage = { role: "user", id, content: "Hello" };
  return [
    { type: "message_start", role: "user", messageId: id },
    { type: "message_end", message },
  ];
}
