/** What the turn loop is given by its caller, as places for hostile values. */
import type { ProviderPart, RunTurnInput } from "@capstan/kernel";
import type { Deliver } from "./deliveries.ts";
import { streaming } from "./session-places.ts";

type Setting = Partial<RunTurnInput>;

export const loopPlaces: Readonly<Record<string, (deliver: Deliver) => Setting>> = {
  emit: (deliver) => ({ emit: deliver }),
  journal: (deliver) => ({ journal: { record: deliver } }),
  now: (deliver) => ({ now: deliver }),
  random: (deliver) => ({ clock: { random: deliver }, provider: streaming(retried) }),
  newId: (deliver) => ({ clock: { newId: deliver } }),
  drainSteering: (deliver) => ({ drainSteering: deliver }),
  hasSteering: (deliver) => ({
    journal: { hasSteering: deliver },
    dispatch: { steering: "skip-remaining" },
    provider: streaming(() => [...call(0), ...call(1)]),
  }),
  onStepComplete: (deliver) => ({ onStepComplete: deliver }),
  context: (deliver) => ({
    context: { project: deliver, transformContext: (messages) => messages },
  }),
  checkLimits: (deliver) => ({ limits: { checkLimits: deliver } }),
  makeRoom: (deliver) => ({ context: { makeRoom: deliver } }),
  checkAnswer: (deliver) => ({ limits: { checkAnswer: deliver } }),
  checkMedia: (deliver) => ({
    context: { checkMedia: deliver },
    tools: [
      {
        ...plain,
        execute: () => [{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }],
      },
    ],
  }),
  boundResult: (deliver) => ({ context: { boundResult: deliver } }),
  parseInput: (deliver) => ({ tools: [{ ...plain, parseInput: deliver }] }),
  reconcile: (deliver) => ({ tools: [{ ...plain, reconcile: deliver }], ...started }),
  answers: (deliver) => ({
    journal: { answers: deliver },
    tools: [{ ...plain, needsApproval: true }],
  }),
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
  journal: { open: [{ toolCallId: "c", state: "started", key: "k" }] },
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
  "messages" | "tools" | "dispatch" | "conversationId" | "turnId" | "limits"
> = {
  messages: [{ role: "user", id: "u", content: "go" }],
  tools: [plain],
  dispatch: {},
  conversationId: "s",
  turnId: "t",
  limits: {
    retry: { maxAttempts: 2 },
    deadlines: { toolMs: 60_000, callbackMs: 30_000, firstPartMs: 60_000, betweenPartsMs: 60_000 },
  },
};
