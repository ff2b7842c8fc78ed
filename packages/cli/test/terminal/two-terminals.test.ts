import { callTool, deferredTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { memoryIo } from "../memory-io.ts";
import { key, openConversation } from "./headless.ts";

test("two terminals show the same turn, and leaving one does not interrupt it", async () => {
  const { home } = memoryIo();
  const tool = deferredTool();
  const changes = { home, tools: [tool] };
  const first = openConversation([callTool("deferred"), say("Finished.")], {
    ...changes,
    argv: ["--allow", "*"],
  });
  await first.shows("Try:");
  first.type("begin");
  first.type(key.enter);
  const [call] = await tool.whenStarted();
  const second = openConversation([], { ...changes, argv: ["--continue"] });
  await second.shows("> begin");
  await second.shows("scripted ·");
  const third = openConversation([], { ...changes, argv: ["--continue"] });
  await third.shows("scripted ·");

  second.type(key.ctrlD);
  expect(await second.exitCode).toBe(0);
  tool.resolve(call?.toolCallId ?? "", "ok");

  await first.shows("Finished.");
  await third.shows("Finished.");
  expect(first.window().join("\n")).not.toContain("interrupted");
  expect(third.window()).toContain("> begin");
});

test("leaving the terminal that started a turn interrupts it", async () => {
  const { home } = memoryIo();
  const tool = deferredTool({ settlesOnAbort: true });
  const first = openConversation([callTool("deferred")], {
    home,
    tools: [tool],
    argv: ["--allow", "*"],
  });
  await first.shows("Try:");
  first.type("begin");
  first.type(key.enter);
  await tool.whenStarted();

  first.type(key.ctrlD);
  expect(await first.exitCode).toBe(0);

  expect(tool.aborted).toHaveLength(1);
});
