/** What the turn loop is given by its caller, as places for hostile values. */
import type { ProviderPart, RunTurnInput } from "@capstan/kernel";
import type { Deliver } from "./deliveries.ts";
import { streaming } from "./session-places.ts";

type Setting = Partial<RunTurnInput>;

export const loopPlaces: Readonly<Record<string, (deliver: Deliver) => Setting>> = {
  emit: (deliver) => ({ emit: deliver }),
  journal: (deliver) => ({ journal: deliver }),
  now: (deliver) => ({ now: deliver }),
  random: (deliver) => ({ random: deliver, provider: streaming(retried) }),
  newId: (deliver) => ({ newId: deliver }),
  drainSteering: (deliver) => ({ drainSteering: deliver }),
  hasSteering: (deliver) => ({
    hasSteering: deliver,
    dispatch: { steering: "skip-remaining" },
    provider: streaming(() => [...call(0), ...call(1)]),
  }),
  onStepComplete: (deliver) => ({ onStepComplete: deliver }),
  context: (deliver) => ({ context: deliver, transformContext: (messages) => messages }),
  checkLimits: (deliver) => ({ checkLimits: deliver }),
  makeRoom: (deliver) => ({ makeRoom: deliver }),
  checkAnswer: (deliver) => ({ checkAnswer: deliver }),
  checkMedia: (deliver) => ({
    checkMedia: deliver,
    tools: [
      {
        ...plain,
        execute: () => [{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }],
      },
    ],
  }),
  boundResult: (deliver) => ({ boundResult: deliver }),
  parseInput: (deliver) => ({ tools: [{ ...plain, parseInput: deliver }] }),
  reconcile: (deliver) => ({ tools: [{ ...plain, reconcile: deliver }], ...started }),
  answers: (deliver) => ({ answers: deliver, tools: [{ ...plain, needsApproval: true }] }),
};

/** Values that are not of a callback. */
export const givenPlaces: Readonly<Record<string, (value: () => never) => Setting>> = {
  "the reason of an abort": (value) => {
    const reason = value();
    return {
      signal: { aborted: true, reason, addEventListener() {}, removeEventListener() {} },
    };
  },
  "a reconciled output": (value) => ({
    tools: [{ ...plain, reconcile: () => ({ outcome: "done", output: value() }) }],
    ...started,
  }),
};

const plain = {
  name: "tool",
  description: "A tool",
  inputSchema: { type: "object" },
  execute: () => "done",
} as const;

const started: Setting = {
  messages: [
    { role: "user", id: "u", content: "go" },
    {
      role: "assistant",
      id: "r",
      content: [{ type: "tool_call", id: "c", name: "tool", input: {} }],
      stopReason: "tool-calls",
    },
  ],
  open: [{ callId: "c", state: "started", key: "k" }],
};

function call(index: number): readonly ProviderPart[] {
  return [
    { type: "toolcall_start", index, name: "tool" },
    { type: "toolcall_end", index },
  ];
}

function retried(): never {
  throw Object.assign(new Error("busy"), { retryable: true });
}

export const loopInput: Pick<
  RunTurnInput,
  "messages" | "tools" | "dispatch" | "conversationId" | "turnId" | "retry" | "deadlines"
> = {
  messages: [{ role: "user", id: "u", content: "go" }],
  tools: [plain],
  dispatch: {},
  conversationId: "s",
  turnId: "t",
  retry: { maxAttempts: 2 },
  deadlines: { toolMs: 60_000, callbackMs: 30_000, firstPartMs: 60_000, betweenPartsMs: 60_000 },
};
