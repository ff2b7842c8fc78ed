/** For any tree and any composite cursor: what was seen before it and what comes after it are everything, in each session. */
import type { Agent } from "@capstan/core";
import { reply, say } from "@capstan/testing";
import * as fc from "fast-check";
import { test } from "vitest";
import { asTool, family, member } from "./family.ts";
import { ask, follow, haveAll } from "./tree.ts";

/** One step of an agent: the agents below it that it asks at the same time. */
type Step = readonly Below[];

interface Below {
  readonly memory: "call" | "session";
  /** Whether the agent before it in the step is asked instead, once more. */
  readonly isSame: boolean;
  readonly steps: readonly Step[];
}

const { steps, below } = fc.letrec<{ steps: Step[]; below: Below }>((tie) => ({
  steps: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant<Step[]>([]),
    fc.array(fc.array(tie("below"), { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  ),
  below: fc.record({
    memory: fc.constantFrom("call", "session"),
    isSame: fc.boolean(),
    steps: tie("steps"),
  }),
}));

const someSteps = fc
  .tuple(fc.array(below, { minLength: 1, maxLength: 3 }), steps)
  .map(([first, rest]) => [first, ...rest]);

/** An agent that does these steps in each of its turns, with agents of its own below it. */
function agentOf(name: string, all: readonly Step[]): Agent {
  const agents: Agent[] = [];
  const tools: ReturnType<typeof asTool>[] = [];
  const script = all.map((step, index) => {
    const asked: string[] = [];
    for (const [nth, { memory, isSame, steps: below }] of step.entries()) {
      const last = agents.at(-1);
      const isAgain = isSame && last !== undefined && !asked.includes(last.name);
      const agent = isAgain ? last : agentOf(`${name}-${index}-${nth}`, below);
      asked.push(agent.name);
      if (isAgain) continue;
      agents.push(agent);
      tools.push(asTool(agent, memory));
    }
    return reply(...asked.map((one) => ask(one, "Do it")));
  });
  const turn = [...script, say([name, " is done"])];
  return member(name, [...turn, ...turn, ...turn, ...turn], tools);
}

test("a subscriber continues after any event, here or in another process, without a gap or a duplicate", async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, fc.boolean(), fc.nat(), async (all, isTwice, offset) => {
      const world = family(agentOf("root", all));
      const session = world.host().createSession({ agent: "root" });
      const seen = follow(session);
      await session.send("Go").response;
      if (isTwice) await session.send("Once more").response;
      await haveAll(world, session, [[seen]]);
      const elsewhere = await world.host().open(session.id);

      // Every cursor of a small tree, and about twenty of a large one.
      const every = Math.ceil(seen.length / 20);
      const taken = [...seen.keys()].filter((index) => index % every === offset % every);
      const readers = taken.map((index) => [
        seen.slice(0, index + 1),
        follow(index % 2 === 0 ? session : elsewhere, { after: seen[index]?.cursor ?? "" }),
      ]);

      await haveAll(world, session, readers);
    }),
    { numRuns: 15, endOnFailure: true },
  );
});

test("a subscriber that moves in the middle of the work, again and again, has everything once", async () => {
  await fc.assert(
    fc.asyncProperty(
      someSteps,
      fc.array(fc.nat({ max: 20 }), { maxLength: 6 }),
      async (all, cuts) => {
        const world = family(agentOf("root", all));
        const session = world.host().createSession({ agent: "root" });
        await session.create();
        const elsewhere = await world.host().open(session.id);
        const seen: ReturnType<typeof follow> = [];
        let stop: (() => void) | undefined;
        const move = (left: readonly number[], after?: string): void => {
          const [until = Infinity, ...rest] = left;
          let count = 0;
          stop = (left.length % 2 === 0 ? session : elsewhere).subscribe(
            (event, _, { cursor }) => {
              seen.push({ event, cursor });
              count += 1;
              if (count !== until + 1) return;
              stop?.();
              move(rest, cursor);
            },
            { tree: true, ...(after !== undefined && { after }) },
          );
        };
        move(cuts, "0.0()");

        await session.send("Go").response;

        await haveAll(world, session, [[seen]]);
        stop?.();
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
});
