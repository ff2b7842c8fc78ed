/** Sessions that are compacted, at any place and with any settings, with services that refuse what the real ones refuse. */
import type { CompactionOptions, Session } from "@capstan/core";
import { createAgent, createSession } from "@capstan/core";
import type { ProviderRequest, ToolContract } from "@capstan/kernel";
import type { ScriptItem } from "@capstan/testing";
import { callTool, echoTool, remoteTool, reply, say, think, tinyImage } from "@capstan/testing";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { refusalsOf } from "./emulated-turns.ts";
import type { Service } from "./matrix/services.ts";
import { emulators, services } from "./matrix/services.ts";

/** More of them on demand, as in `PROPERTY_RUNS=500 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 8);

type Word = "echo" | "camera" | "remote";

interface Step {
  readonly isThought: boolean;
  readonly said: string;
  readonly calls: readonly Word[];
}

interface Plan {
  readonly steps: readonly Step[];
  readonly compaction: CompactionOptions;
  /** When somebody asks for it: before these sends, and while these wait for answers. */
  readonly asks: readonly boolean[];
  readonly evicts: boolean;
}

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(
    fc.record({
      isThought: fc.boolean(),
      said: fc.constantFrom("", "Looking.", "Looking closely. ".repeat(200)),
      calls: fc.array(fc.constantFrom<Word>("echo", "echo", "camera", "remote"), { maxLength: 3 }),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  compaction: fc.record({ keepRecentSteps: fc.nat({ max: 2 }), minFreedShare: fc.constant(0) }),
  asks: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  evicts: fc.boolean(),
});

const camera: ToolContract = {
  ...echoTool(),
  name: "camera",
  execute: () => [{ type: "text", text: "A picture" }, tinyImage],
};
const long: ToolContract = { ...echoTool(), execute: () => "Much to see. ".repeat(150) };

/** What is played next; whoever is asked for a summary gives one. */
let next: Step[] = [];
const answer = ({ messages }: ProviderRequest): ScriptItem => {
  if (JSON.stringify(messages.at(-1)).includes("replaced by a summary")) return say("In short.");
  const step = next.shift() ?? { isThought: false, said: "Done.", calls: [] };
  const said = step.said === "" && step.calls.length === 0 ? "Fine." : step.said;
  return reply(
    ...(step.isThought ? [think("Hm")] : []),
    ...(said === "" ? [] : [say(said)]),
    ...step.calls.map((name, place) => callTool(name, { place })),
  );
};

const running = Object.fromEntries(
  await Promise.all(
    Object.entries(emulators).map(
      async ([kind, emulate]) =>
        [kind, await emulate(Array<ScriptItem>(50_000).fill(answer))] as const,
    ),
  ),
);
afterAll(() => Promise.all(Object.values(running).map((emulator) => emulator.close())));

function sessionWith(
  { vendor, model, facts, basePath = "", kind }: Service,
  { compaction, evicts }: Plan,
): Session {
  const made = vendor(model, { baseUrl: `${running[kind]?.url}${basePath}`, apiKey: "test-key" });
  const agent = createAgent({
    model: { ...made, facts: { ...facts, contextWindow: 6_000 } },
    tools: [long, camera, remoteTool()],
    thinkingLevel: "high",
    compaction,
    outputs: { maxTotalChars: evicts ? 3_000 : 100_000 },
  });
  return createSession({ agent });
}

/**
 * Says something as long as there are steps, answers what waits, and asks for a compaction now and then. What is to be kept may be more than fits:
 * then no step is ever made again.
 */
async function play(session: Session, { steps, asks }: Plan): Promise<string[]> {
  const reasons: string[] = [];
  next = [...steps];
  for (let place = 0; next.length > 0 && place < 3 * steps.length; place++) {
    if (asks[(2 * place) % asks.length] === true) await session.compact();
    let response = await session.send(`Look ${place}`).response;
    while (response.pendingToolCalls !== undefined) {
      if (asks[(2 * place + 1) % asks.length] === true) await session.compact();
      const answers = response.pendingToolCalls.map(({ toolCallId }) => ({
        toolCallId,
        output: "picked",
      }));
      response = await session.send(answers).response;
    }
    reasons.push(response.error?.message ?? response.finishReason);
  }
  return reasons;
}

test.each(services.map((service) => [service.name, service] as const))(
  "%s takes every request of a session that is compacted",
  async (_, service) => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const emulator = running[service.kind];
        const before = emulator?.refusals.length ?? 0;
        const session = sessionWith(service, plan);

        const reasons = await play(session, plan);

        expect(emulator === undefined ? [] : refusalsOf(emulator).slice(before)).toEqual([]);
        // A summary of very little is longer than that.
        const others = reasons.filter((reason) => reason !== "stop");
        expect(others.filter((reason) => reason !== "context-exhausted")).toEqual([]);
        await session.close();
      }),
      { numRuns },
    );
  },
  120_000,
);
