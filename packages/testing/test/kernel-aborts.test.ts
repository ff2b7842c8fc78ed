import {
  callTool,
  deferredTool,
  echoTool,
  hang,
  manualClock,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf, rolesOf } from "./turn-problems.ts";

test("an abort in a stalled reply keeps its text and ends the stream", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([reply(say("Hel"), stall())]);

  const turn = await runToEnd({
    provider,
    signal: controller.signal,
    emit: (event) => event.type === "text_delta" && controller.abort("enough"),
  });
  await manualClock().advance(0);

  expect(problemsOf(turn)).toEqual([]);
  expect(rolesOf(turn)).toEqual(["assistant", "user"]);
  expect(turn.finishReason).toBe("aborted");
  expect(provider.openStreams).toBe(0);
  expect(provider.requests[0]?.signal.aborted).toBe(true);
});

test("an abort ends a turn whose provider is deaf", async () => {
  const controller = new AbortController();
  const provider = scriptedProvider([callTool("echo"), hang()]);

  const turn = await runToEnd({
    provider,
    tools: [echoTool()],
    signal: controller.signal,
    emit: (event) => event.type === "step_start" && event.step === 2 && controller.abort(),
  });

  expect(problemsOf(turn)).toEqual([]);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "user"]);
});

test("an abort while tools run gives each of them a result", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const patient = deferredTool({ name: "patient" });
  const obedient = deferredTool({ name: "obedient", settlesOnAbort: true });
  const provider = scriptedProvider([reply(callTool("patient"), callTool("obedient"))]);

  const running = runToEnd({
    provider,
    tools: [patient, obedient],
    signal: controller.signal,
    timer: clock.timer,
  });
  await obedient.whenStarted();
  controller.abort();
  await clock.advance(1_000);
  const turn = await running;

  expect(problemsOf(turn)).toEqual([]);
  expect(rolesOf(turn)).toEqual(["assistant", "tool", "tool", "user"]);
  expect([...patient.aborted, ...obedient.aborted]).toHaveLength(2);
});
