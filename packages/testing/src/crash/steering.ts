/** User code that steers each step, and guards that judge messages and replies. */
import type { AgentInit, GuardVerdict, StepSettings, StepToPrepare } from "@capstan/core";
import type { ProviderRequest } from "@capstan/kernel";
import type { Life } from "./life.ts";
import type { World } from "./world.ts";

/** Word in messages and replies that the guards reject. */
export const forbidden = "Forbidden";
/** Word in replies after which the model is asked once more. */
const mayRetry = "again";

/** Options of the agent in scenarios with `steps`: another temperature each time it is asked, and a note before each step. */
export function preparingInit(life: Life, world: World): Pick<AgentInit, "prepareStep"> {
  return {
    prepareStep: async ({ step, turn }: StepToPrepare): Promise<StepSettings> => {
      await reach(life, "prepareStep");
      world.prepared += 1;
      return {
        temperature: world.prepared / 100,
        // In odd steps the model may call all tools, in even steps only one.
        ...(step % 2 === 0 && { activeTools: ["pure"] }),
        append: { role: "user", id: `${turn.id}-note${step}`, content: `Note ${step}` },
      };
    },
  };
}

/** Options of the agent in scenarios with `guards`. */
export function guardingInit(life: Life): Pick<AgentInit, "guards"> {
  const judge = async (what: string, text: string): Promise<GuardVerdict> => {
    await reach(life, what);
    if (!text.includes(forbidden)) return undefined;
    return { reason: "It is not allowed", retry: text.includes(mayRetry) };
  };
  return {
    guards: {
      input: ({ text }) => judge("an input guard", text),
      output: ({ text }) => judge("an output guard", text),
    },
  };
}

/** A point at which the process may die. */
async function reach(life: Life, what: string): Promise<void> {
  const arrival = life.arrive(what);
  arrival.before();
  await life.pass();
  arrival.after();
  await life.pass();
}

/** Checks that a request shows a model nothing that a guard rejects. */
export function checkGuardedRequest(world: World, { messages, turnId }: ProviderRequest): void {
  if (world.scenario.guards === undefined) return;
  if (!JSON.stringify(messages).includes(forbidden)) return;
  world.violations.add("guards", `turn ${turnId}: a request shows what a guard rejects`);
}
