import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { key, openConversation } from "./headless.ts";

test.each([[[]], [["--fullscreen"]], [["--screen-reader"]]])(
  "ctrl+z restores the terminal, and the conversation goes on after fg (%j)",
  async (argv) => {
    const terminal = openConversation([say("Still here.")], { argv });
    await terminal.shows("Try:");
    terminal.type("half a");

    terminal.type(key.ctrlZ);
    expect(terminal.isOpen()).toBe(false);
    terminal.continue();
    await terminal.until(() => terminal.isOpen());
    terminal.type(" prompt");
    terminal.type(key.enter);

    await terminal.shows("Still here.");
    expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "half a prompt" });
  },
);

test("a system that cannot suspend says so", async () => {
  const terminal = openConversation([], { canSuspend: false });
  await terminal.shows("Try:");

  terminal.type(key.ctrlZ);

  await terminal.shows("cannot suspend");
});
