/** A callback that fails must not make its caller wait for ever. */
import type {
  AssistantMessage,
  Logger,
  OpenCall,
  RunTurnInput,
  ToolContract,
} from "@capstan/kernel";
import {
  assertValidTranscript,
  callTool,
  deferredTool,
  echoTool,
  failBefore,
  manualClock,
  remoteTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  sequentialIds,
} from "@capstan/testing";
import type { FinishedTurn } from "@capstan/testing";
import { expect, test } from "vitest";
import { overlay } from "./overlay.ts";

/** Fits every callback: what it takes is not read, and it returns whatever it likes, against its type. */
type Callback = () => never;

const silentLogger: Logger = {
  log: () => {},
  startSpan: () => ({ setAttributes: () => {}, end: () => {} }),
};

const asked: AssistantMessage = {
  role: "assistant",
  id: "a1",
  content: [
    { type: "tool_call", id: "k1", name: "book", input: {} },
    { type: "tool_call", id: "k2", name: "remote", input: {} },
  ],
  stopReason: "tool-calls",
};

const answer: OpenCall = {
  toolCallId: "k2",
  state: "settled",
  result: { isError: false, output: "picked" },
};

const pending: OpenCall = {
  toolCallId: "k2",
  state: "pending",
  pending: { toolCallId: "k2", kind: "execution", toolName: "remote", input: {}, hash: "h" },
};

/** A turn in which every callback there is gets called. */
function everything(): Partial<RunTurnInput> & Pick<RunTurnInput, "provider" | "dispatch"> {
  const answers = [[answer]];
  return {
    provider: scriptedProvider([
      reply(callTool("echo", { n: 1 }), callTool("echo", { n: 2 })),
      failBefore("overloaded"),
      failBefore("context_overflow"),
      say("Done"),
    ]),
    messages: [{ role: "user", id: "u1", content: "Hello" }, asked],
    journal: {
      open: [{ toolCallId: "k1", state: "started", key: "key" }, pending],
      answers: () => answers.shift() ?? [],
      hasSteering: () => false,
    },
    tools: toolsWith({}),
    dispatch: {
      mode: "sequential",
      steering: "skip-remaining",
      before: () => ({ action: "run" }),
      after: () => {},
    },
    clock: { newId: sequentialIds(), random: () => 0.5 },
    logger: silentLogger,
    limits: { retry: { maxAttempts: 2 }, stopWhen: () => false, checkLimits: () => undefined },
    drainSteering: () => [],
    onStepComplete: () => {},
    context: {
      transformContext: (messages) => messages,
      convertToLlm: (messages) => messages,
      onOverflow: () => [{ role: "user", id: "u1", content: "Hello" }],
    },
  };
}

function toolsWith(overrides: Partial<ToolContract>): ToolContract[] {
  const book = echoTool({ name: "book", reconcile: () => ({ outcome: "unknown" }) });
  const gates: Partial<ToolContract> = {
    parseInput: (input) => ({ value: input }),
    needsApproval: () => false,
  };
  return [{ ...echoTool(), ...gates, ...overrides }, { ...book, ...overrides }, remoteTool()];
}

/** Anything that streams, of which these are the methods. */
function streamOf(iterator: {
  readonly next: Callback;
  readonly return?: Callback;
}): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => iterator };
}

const failsAtOnce = (() => Promise.reject(new Error("cut"))) as Callback;

/** Sets a callback, and leaves the others as they are. */
const places: Record<string, (callback: Callback) => Partial<RunTurnInput>> = {
  emit: (emit) => ({ emit }),
  drainSteering: (drainSteering) => ({ drainSteering }),
  hasSteering: (hasSteering) => ({ journal: { hasSteering } }),
  onStepComplete: (onStepComplete) => ({ onStepComplete }),
  answers: (answers) => ({ journal: { answers } }),
  transformContext: (transformContext) => ({ context: { transformContext } }),
  convertToLlm: (convertToLlm) => ({ context: { convertToLlm } }),
  stopWhen: (stopWhen) => ({ limits: { stopWhen } }),
  checkLimits: (checkLimits) => ({ limits: { checkLimits } }),
  onOverflow: (onOverflow) => ({ context: { onOverflow } }),
  "the before hook": (before) => ({ dispatch: { ...everything().dispatch, before } }),
  "the after hook": (after) => ({ dispatch: { ...everything().dispatch, after } }),
  "parseInput of a tool": (parseInput) => ({ tools: toolsWith({ parseInput }) }),
  "needsApproval of a tool": (needsApproval) => ({ tools: toolsWith({ needsApproval }) }),
  "execute of a tool": (execute) => ({ tools: toolsWith({ execute, timeoutMs: 1_000 }) }),
  "reconcile of a tool": (reconcile) => ({ tools: toolsWith({ reconcile }) }),
  "stream of the provider": (stream) => ({ provider: { id: "p", stream } }),
  "next of the provider's stream": (next) => ({
    provider: { id: "p", stream: () => streamOf({ next }) },
  }),
  "return of the provider's stream": (return_) => ({
    provider: { id: "p", stream: () => streamOf({ next: failsAtOnce, return: return_ }) },
  }),
  "next of a tool's stream": (next) => ({
    tools: toolsWith({ execute: () => streamOf({ next }), timeoutMs: 1_000 }),
  }),
  "return of a tool's stream": (return_) => ({
    tools: toolsWith({ execute: () => streamOf({ next: failsAtOnce, return: return_ }) }),
  }),
  "log of the logger": (log) => ({
    logger: { ...silentLogger, log },
    context: { onOverflow: faults["throws"] },
  }),
  "startSpan of the logger": (startSpan) => ({ logger: { ...silentLogger, startSpan } }),
  "end of a span": (end) => ({
    logger: { ...silentLogger, startSpan: () => ({ setAttributes: () => {}, end }) },
  }),
};

const faults: Record<string, () => never> = {
  throws: () => {
    throw new Error("broken");
  },
  rejects: () => Promise.reject(new Error("broken")) as never,
  "never returns": () => new Promise(() => {}) as never,
};

const everyPlaceAndFault = Object.keys(places).flatMap((place) =>
  Object.keys(faults).map((fault) => [place, fault] as const),
);

interface Broken {
  readonly turn: FinishedTurn;
  readonly calls: number;
  readonly timersLeft: number;
}

async function runBroken(
  place: (callback: Callback) => Partial<RunTurnInput>,
  fault: () => never,
): Promise<Broken> {
  const clock = manualClock();
  let calls = 0;
  const callback = (): never => {
    calls += 1;
    return fault();
  };
  const turn = await clock.runUntil(
    runToEnd(
      overlay(
        overlay(everything(), { now: clock.now, clock: { timer: clock.timer } }),
        place(callback),
      ),
    ),
  );
  return { turn, calls, timersLeft: clock.pending() };
}

test("with callbacks that work, the turn below reaches its answer", async () => {
  const { turn } = await runBroken(() => ({}), faults["throws"] as () => never);

  expect(turn).toMatchObject({ finishReason: "stop", messages: { length: 6 } });
});

test.each(everyPlaceAndFault)(
  "when %s %s, the turn still ends once and returns",
  async (place, fault) => {
    const { turn, calls, timersLeft } = await runBroken(places[place]!, faults[fault]!);

    expect(calls).toBeGreaterThan(0);
    expect(turn.recorder.types().filter((type) => type === "turn_end")).toHaveLength(1);
    expect(turn.events.at(-1)).toMatchObject({
      type: "turn_end",
      finishReason: turn.finishReason,
    });
    expect(timersLeft).toBe(0);
    assertValidTranscript(turn.transcript);
  },
);

const syncPlaces: Record<string, (callback: Callback) => Partial<RunTurnInput>> = {
  now: (now) => ({ now }),
  timer: (timer) => ({ clock: { timer } }),
  random: (random) => ({ clock: { random } }),
  newId: (newId) => ({ clock: { newId } }),
};

test.each(Object.keys(syncPlaces))(
  "when %s throws, the turn still ends once and returns",
  async (place) => {
    const { turn, calls } = await runBroken(syncPlaces[place]!, faults["throws"]!);

    expect(calls).toBeGreaterThan(0);
    expect(turn.recorder.types().filter((type) => type === "turn_end")).toHaveLength(1);
    assertValidTranscript(turn.transcript);
  },
);

test("when the timer throws on an abort, running tools still get their results", async () => {
  const controller = new AbortController();
  const slow = deferredTool();
  const running = runToEnd({
    provider: scriptedProvider([callTool("deferred")]),
    tools: [slow],
    signal: controller.signal,
    clock: { timer: () => (controller.signal.aborted ? faults["throws"]!() : () => {}) },
  });
  await slow.whenStarted();

  controller.abort();
  const turn = await running;

  expect(turn.messages.map((message) => message.role)).toEqual(["assistant", "tool", "user"]);
  expect(turn.recorder.ofType("turn_end")).toHaveLength(1);
});

test.each(Object.keys(faults))(
  "when the journal %s, an error stands for the end, and the turn returns",
  async (fault) => {
    const { turn, calls } = await runBroken(
      (journal) => ({ journal: { record: journal } }),
      faults[fault]!,
    );

    expect(calls).toBe(1);
    expect(turn).toMatchObject({ finishReason: "error", error: { code: "journal_failed" } });
    expect(turn.recorder.types()).toEqual(["turn_start", "error"]);
  },
);
