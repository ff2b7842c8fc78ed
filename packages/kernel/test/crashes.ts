/** Turns that are killed at any point of their journal, and go on in another process from what was recorded. */
import { runTurn } from "@capstan/kernel";
import type {
  AgentEvent,
  BeforeDecision,
  ChatMessage,
  DispatchedCall,
  Fact,
  Journal,
  JsonValue,
  OpenCall,
  PendingCall,
  RunTurnResult,
  ToolContract,
  ToolReturn,
} from "@capstan/kernel";
import { callTool, callToolRaw, failBefore, finish, remoteTool, say } from "@capstan/testing";
import { scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import * as fc from "fast-check";
import { readable } from "./arbitrary-script.ts";
import { rebuild } from "./rebuild.ts";

interface Crash {
  /** The process dies in this call of its journal. */
  readonly at: number;
  /** Whether what the call was given is safe. */
  readonly isRecorded: boolean;
}

export interface CrashScenario {
  /** The replies of the steps, in order; a last one is added. */
  readonly steps: readonly { readonly failures: number; readonly reply: readonly ScriptItem[] }[];
  readonly crashes: readonly Crash[];
  readonly isJournalAsync: boolean;
  readonly mode: "parallel" | "sequential";
  /** Steps after which a user message waits. */
  readonly steeredAfter: readonly number[];
  /** After so many steps the turn is asked for a closing report. */
  readonly maxSteps: number;
}

const crashToolNames = [
  "pure",
  "idempotent",
  "once",
  "checked",
  "guarded",
  "alone",
  "remote",
] as const;

const calling: fc.Arbitrary<ScriptItem> = fc.oneof(
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...crashToolNames), fc.nat({ max: 2 }))
      .map(([name, n]) => callTool(name, { n })),
    weight: 9,
  },
  fc.constantFrom(callTool("gone"), callToolRaw("once", "{not json")),
);

const step = fc.record({
  failures: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.constantFrom(1, 2)),
  reply: fc
    .tuple(
      fc.array(fc.constant(say("So")), { maxLength: 1 }),
      fc.array(calling, { minLength: 1, maxLength: 4 }),
      fc.oneof({ arbitrary: fc.constant([]), weight: 8 }, fc.constant([finish("length")])),
    )
    .map((items) => items.flat().map(readable)),
});

export const crashScenarios: fc.Arbitrary<CrashScenario> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  crashes: fc.array(fc.record({ at: fc.nat({ max: 12 }), isRecorded: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  isJournalAsync: fc.boolean(),
  mode: fc.constantFrom("parallel", "sequential"),
  steeredAfter: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
  maxSteps: fc.constantFrom(1, 2, 10),
});

/** Effects of the tools on the world: they outlive every process. */
interface Effect {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly key: string;
}

export interface CrashedTurn {
  /** All new messages, of all processes. */
  readonly messages: readonly ChatMessage[];
  readonly effects: readonly Effect[];
  /** The events of the process that came to the end, and how it had begun. */
  readonly events: readonly AgentEvent[];
  readonly isResumed: boolean;
  readonly attemptsInStep: number;
}

const question: ChatMessage = { role: "user", id: "u1", content: "Hello" };

/** Runs the turn, through all crashes, to its end. */
export async function runThrough(scenario: CrashScenario): Promise<CrashedTurn> {
  const facts: Fact[] = [];
  const effects: Effect[] = [];
  const crashes = [...scenario.crashes];
  for (;;) {
    const before = rebuild(facts);
    const begun = {
      isResumed: facts.length > 0,
      attemptsInStep: before.prior.attemptsInStep ?? 0,
    };
    if (before.isOver) return { messages: before.messages, effects, events: [], ...begun };
    const events: AgentEvent[] = [];
    const result = await runProcess(scenario, { facts, effects, events, crash: crashes.shift() });
    if (result === "crashed") continue;
    const messages = [...before.messages, ...result.messages];
    return { messages, effects, events, ...begun };
  }
}

interface World {
  /** Grows by what the process records. */
  readonly facts: Fact[];
  readonly effects: Effect[];
  readonly events: AgentEvent[];
  readonly crash: Crash | undefined;
}

async function runProcess(
  scenario: CrashScenario,
  { facts, effects, events, crash }: World,
): Promise<RunTurnResult | "crashed"> {
  const died = Promise.withResolvers<"crashed">();
  const life = { isOver: false };
  const die = (): Promise<never> => {
    life.isOver = true;
    died.resolve("crashed");
    return new Promise(() => {});
  };
  const { messages, open, prior } = rebuild(facts);
  const isFirst = facts.length === 0;
  const waiting: PendingCall[] = (open ?? []).flatMap((call) =>
    call.state === "pending" ? [call.pending] : [],
  );
  const running = runTurn({
    provider: scriptedProvider(Array.from({ length: 30 }, () => replyFrom(scenario))),
    messages: [question, ...messages],
    tools: toolsOf(effects, () => life.isOver),
    dispatch: { mode: scenario.mode, before: alterTwos },
    conversationId: "c1",
    turnId: "t1",
    limits: {
      retry: { maxAttempts: 100 },
      maxSteps: scenario.maxSteps,
      closing: { prompt: "Report" },
    },
    emit: (event) => {
      if (event.type === "awaiting_tool_execution") waiting.push(...event.pending);
      events.push(event);
    },
    journal: {
      record: dyingJournal(facts, crash, scenario.isJournalAsync, die),
      answers: () => waiting.splice(0).map(answerTo),
      ...(!isFirst && { prior }),
      ...(open !== undefined && { open }),
    },
    drainSteering: () => steeringAfter(scenario, facts),
  });
  return Promise.race([running, died.promise]);
}

/** By step and attempt, so that a new process continues where the old one stopped. */
function replyFrom({ steps }: CrashScenario): ScriptItem {
  return ({ step, attempt }) => {
    const scripted = steps[step - 1];
    if (scripted === undefined) return say("Done");
    return attempt <= scripted.failures ? failBefore("overloaded") : scripted.reply;
  };
}

function dyingJournal(
  facts: Fact[],
  crash: Crash | undefined,
  isAsync: boolean,
  die: () => Promise<never>,
): Journal {
  let calls = 0;
  return (added) => {
    const isLast = calls++ === crash?.at;
    if (!isLast || crash.isRecorded) facts.push(...added);
    if (isLast) return die();
    return isAsync ? Promise.resolve() : undefined;
  };
}

function toolsOf(effects: Effect[], isDead: () => boolean): ToolContract[] {
  const tool = (name: string, more: Partial<ToolContract> = {}): ToolContract => {
    return {
      name,
      description: name,
      inputSchema: { type: "object" },
      ...more,
      async execute(input: JsonValue, { toolCallId, idempotencyKey: key }): Promise<ToolReturn> {
        if (isDead()) return new Promise<never>(() => {});
        effects.push({ toolName: name, toolCallId, key });
        // Its end is recorded apart from that of a neighbour.
        await Promise.resolve();
        return outputOf(input);
      },
    };
  };
  return [
    tool("pure", { effect: "pure" }),
    tool("idempotent", { effect: "idempotent" }),
    tool("once"),
    tool("checked", {
      reconcile: (key) =>
        effects.some((effect) => effect.key === key)
          ? { outcome: "done", output: "found" }
          : { outcome: "not-run" },
    }),
    tool("guarded", { needsApproval: true }),
    tool("alone", { execution: "sequential" }),
    remoteTool(),
  ];
}

function outputOf(input: JsonValue): string {
  return `did ${JSON.stringify(input)}`;
}

function alterTwos({ input }: DispatchedCall): BeforeDecision | undefined {
  const isTwo = JSON.stringify(input) === '{"n":2}';
  return isTwo ? { action: "alter", input: { n: 20 } } : undefined;
}

function answerTo({ toolCallId, kind, input }: PendingCall): OpenCall {
  if (kind === "approval") return { toolCallId, state: "approved", input };
  return { toolCallId, state: "settled", result: { isError: false, output: outputOf(input) } };
}

/** Waiting messages are known from the recorded facts, as they are in a session. */
function steeringAfter({ steeredAfter }: CrashScenario, facts: readonly Fact[]): ChatMessage[] {
  const { prior, messages } = rebuild(facts);
  const id = `steer-${prior.steps}`;
  const isDelivered = messages.some((message) => message.id === id);
  if (isDelivered || !steeredAfter.includes(prior.steps)) return [];
  return [{ role: "user", id, content: "Only indoors" }];
}
