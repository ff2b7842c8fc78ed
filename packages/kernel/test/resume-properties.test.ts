import type { ChatMessage } from "@capstan/kernel";
import { checkEvents, checkTranscript } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { crashScenarios, runThrough } from "./crashes.ts";
import type { CrashedTurn } from "./crashes.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 500);

test("a turn that is killed anywhere and goes on elsewhere says the same as one that runs through", async () => {
  await fc.assert(
    fc.asyncProperty(crashScenarios, async (scenario) => {
      const whole = await runThrough({ ...scenario, crashes: [] });
      const crashed = await runThrough(scenario);

      expect(withoutOutcomes(crashed, crashed)).toEqual(withoutOutcomes(whole, crashed));
      expect(checkTranscript(crashed.messages)).toEqual([]);
      expect(checkEvents(crashed.events, crashed)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

test("however often a turn is killed, no tool runs twice that must not, and a second run has the same key", async () => {
  await fc.assert(
    fc.asyncProperty(crashScenarios, async (scenario) => {
      const { effects } = await runThrough(scenario);

      const repeated = effects.filter((effect, at) => isRepeated(effects.slice(0, at), effect));
      const keys = new Map(effects.map(({ toolCallId, key }) => [toolCallId, key]));
      expect(repeated.filter(({ toolName }) => !mayRepeat.has(toolName))).toEqual([]);
      expect(effects.filter(({ toolCallId, key }) => keys.get(toolCallId) !== key)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);

const mayRepeat: ReadonlySet<string> = new Set(["pure", "idempotent"]);

function isRepeated(earlier: CrashedTurn["effects"], effect: CrashedTurn["effects"][number]) {
  return earlier.some(({ toolCallId }) => toolCallId === effect.toolCallId);
}

/** The messages, without the results of calls of which the crashed turn knows only that they had started. */
function withoutOutcomes(turn: CrashedTurn, crashed: CrashedTurn): ChatMessage[] {
  const started = new Set(crashed.messages.filter(isOutcomeOfCrash).map((message) => message.id));
  return turn.messages.map((message) =>
    message.role === "tool" && started.has(message.id)
      ? { ...message, content: "", isError: true }
      : message,
  );
}

function isOutcomeOfCrash(message: ChatMessage): boolean {
  if (message.role !== "tool" || typeof message.content !== "string") return false;
  return message.content === "found" || message.content.startsWith("The outcome is unknown");
}
