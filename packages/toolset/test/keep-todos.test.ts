import { expect, test } from "vitest";
import { createAgent } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { todosOf, todosTool } from "@capstan/toolset";
import { complaintsAbout } from "./call-tool.ts";

const plan = [
  { content: "Look", status: "completed" },
  { content: "Mend", status: "in_progress" },
  { content: "Test", status: "pending" },
];

test("the latest list can be read from the transcript, and the model sees it", async () => {
  const model = scriptedProvider([
    callTool("write_todos", { todos: plan.slice(0, 1) }),
    callTool("write_todos", { todos: plan }),
    callTool("write_todos", { todos: [{ content: "", status: "unknown" }] }),
    say("On it."),
  ]);

  const agent = createAgent({ model, tools: [todosTool()] });
  const { messages } = await agent.runTurn({ input: "Mend it" }).response;

  expect(todosOf(messages)).toEqual(plan);
  expect(messages.filter((message) => message.role === "tool")[1]?.content).toBe(
    "[x] Look\n[>] Mend\n[ ] Test",
  );
});

test("without a list there are no todos", () => {
  expect(todosOf([{ role: "user", id: "1", content: "Hello" }])).toEqual([]);
});

test("a list with a state that there is not is refused", async () => {
  const todos = [{ content: "Look", status: "done" }];

  expect(await complaintsAbout(todosTool(), { todos })).toHaveLength(1);
});
