import type { Fact, Journal, JournalReply, OpenCall } from "@capstan/kernel";
import { callTool, remoteTool, runToEnd, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { problemsOf } from "./turn-problems.ts";

/** Says "reopen" to so many ends. */
function reopening(
  times: number,
  onReopen = (): void => {},
): { readonly journal: Journal; readonly ends: Fact[] } {
  const ends: Fact[] = [];
  const journal = (facts: readonly Fact[]): JournalReply => {
    const ended = facts.filter((fact) => fact.type === "turn_ended");
    ends.push(...ended);
    if (ended.length === 0 || ends.length > times) return undefined;
    onReopen();
    return "reopen";
  };
  return { journal, ends };
}

const answer: OpenCall = {
  toolCallId: "id-2",
  state: "settled",
  result: { isError: false, output: "picked" },
};

test("a turn whose journal says that answers came goes on with them", async () => {
  const { journal, ends } = reopening(1);
  const answers = [[], [answer]];
  const provider = scriptedProvider([callTool("remote"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { record: journal, answers: () => answers.shift() ?? [] },
  });

  expect(turn.finishReason).toBe("stop");
  expect(turn.messages[1]).toMatchObject({ role: "tool", content: "picked" });
  expect(ends).toMatchObject([{ finishReason: "tool-calls" }, { finishReason: "stop" }]);
  expect(problemsOf(turn)).toEqual([]);
  provider.assertComplete();
});

test("a reopened turn shows one turn_end", async () => {
  const { journal } = reopening(1);
  const answers = [[], [answer]];
  const provider = scriptedProvider([callTool("remote"), say("Done")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { record: journal, answers: () => answers.shift() ?? [] },
  });

  expect(turn.recorder.ofType("turn_end")).toMatchObject([{ finishReason: "stop" }]);
});

test("a turn that is reopened without answers fails, and says why", async () => {
  const { journal } = reopening(1);
  const provider = scriptedProvider([callTool("remote")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    journal: { record: journal, answers: () => [] },
  });

  expect(turn.finishReason).toBe("error");
  expect(turn.error).toMatchObject({
    code: "journal_failed",
    message: expect.stringContaining("answers"),
  });
  expect(problemsOf(turn)).toEqual([]);
});

test("a turn that waits for nothing cannot be reopened, and says so", async () => {
  const { journal } = reopening(1);
  const provider = scriptedProvider([say("Done")]);

  const turn = await runToEnd({ provider, journal: { record: journal } });

  expect(turn.finishReason).toBe("error");
  expect(turn.error).toMatchObject({ code: "journal_failed" });
  expect(problemsOf(turn)).toEqual([]);
});

test("a journal that always says reopen does not keep the turn from ending", async () => {
  const { journal, ends } = reopening(20);
  const provider = scriptedProvider([callTool("remote")]);

  const turn = await runToEnd({ provider, tools: [remoteTool()], journal: { record: journal } });

  expect(turn.finishReason).toBe("error");
  expect(ends.length).toBeLessThan(4);
});

test("an abort that comes while a suspended turn is being recorded ends it", async () => {
  const controller = new AbortController();
  const { journal } = reopening(1, () => controller.abort("enough"));
  const provider = scriptedProvider([callTool("remote")]);

  const turn = await runToEnd({
    provider,
    tools: [remoteTool()],
    signal: controller.signal,
    journal: { record: journal },
  });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.messages.map((message) => message.role)).toEqual(["assistant", "tool", "user"]);
  expect(problemsOf(turn)).toEqual([]);
});

test("a turn that was aborted just before its end was recorded ends aborted, with what it had said", async () => {
  const abort = new AbortController();
  const { journal, ends } = reopening(1, () => abort.abort("too late"));
  const provider = scriptedProvider([say("Done")]);

  const turn = await runToEnd({ provider, journal: { record: journal }, signal: abort.signal });

  expect(turn.finishReason).toBe("aborted");
  expect(turn.messages.map((message) => message.role)).toEqual(["assistant", "user"]);
  expect(ends).toMatchObject([{ finishReason: "stop" }, { finishReason: "aborted" }]);
  expect(turn.recorder.ofType("turn_end")).toMatchObject([{ finishReason: "aborted" }]);
  expect(problemsOf(turn)).toEqual([]);
});
