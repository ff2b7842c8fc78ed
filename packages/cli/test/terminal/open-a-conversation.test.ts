import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyTool } from "@capstan/core";
import { callTool, say, stall, think } from "@capstan/testing";
import { expect, test } from "vitest";
import { memoryIo, temporaryFolder } from "../memory-io.ts";
import { key, openConversation, openHeadless } from "./headless.ts";

test("a prompt is sent, and the reply is shown below it", async () => {
  const terminal = openConversation([say(["Hello ", "**you**."])]);
  await terminal.shows("Try:");

  terminal.type("hi there");
  terminal.type(key.enter);

  await terminal.shows("Hello you.");
  expect(terminal.window()).toContain("> hi there");
  expect(terminal.provider.requests).toHaveLength(1);
});

test("keys that are typed before the screen is loaded are not lost", async () => {
  const terminal = openConversation([say("Early bird.")]);

  terminal.type("first");
  terminal.type(key.enter);

  await terminal.shows("Early bird.");
  expect(terminal.window()).toContain("> first");
});

test("lines that are typed while the command is being loaded are sent one by one", async () => {
  const terminal = openConversation([say("First answer."), say("Second answer.")]);

  terminal.typeAfter("starting …", "/cost\rfirst\r");

  await terminal.shows("First answer.");
  expect(terminal.window().join("\n")).toContain("no usage was reported");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "first" });
});

test("a marked paste while the command is being loaded is one prompt", async () => {
  const terminal = openConversation([say("Got it.")]);

  terminal.typeAfter("starting …", `\u001b[200~one\rtwo\u001b[201~${key.enter}`);

  await terminal.shows("Got it.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "one\ntwo" });
});

test("the title is drawn before anything is loaded, and stays", async () => {
  const terminal = openConversation([]);

  await terminal.shows("capstan 0.");
  expect(terminal.isOpen()).toBe(true);
  await terminal.shows("Try:");

  expect(terminal.window()[0]).toContain("capstan 0.");
});

test("a tool call shows its input, its output as it comes, and its result", async () => {
  const step = Promise.withResolvers<void>();
  const probe: AnyTool = {
    name: "probe",
    description: "Looks around",
    inputSchema: { type: "object" },
    execute: async (_, context) => {
      context.update("first line\n");
      await step.promise;
      return "all is well";
    },
  };
  const terminal = openConversation([callTool("probe", { path: "here" }), say("Done.")], {
    tools: [probe],
    argv: ["--allow", "*"],
  });
  await terminal.shows("Try:");

  terminal.type("look");
  terminal.type(key.enter);
  await terminal.shows("first line");

  expect(terminal.window().join("\n")).toContain("● probe here\n  first line");
  expect(terminal.window().join("\n")).toContain("esc interrupts");
  step.resolve();
  await terminal.shows("Done.");
  expect(terminal.window().join("\n")).toContain("● probe here\n  all is well");
});

test("thinking is folded to its first line, and ctrl+t shows all of it", async () => {
  const terminal = openConversation([[think("One idea\nAnother idea"), say("Answer.")]]);
  await terminal.shows("Try:");
  terminal.type("think");
  terminal.type(key.enter);
  await terminal.shows("Answer.");
  expect(terminal.window().join("\n")).toContain("✻ One idea");
  expect(terminal.window().join("\n")).not.toContain("Another idea");

  terminal.type(key.ctrlT);

  await terminal.shows("Another idea");
});

test("escape interrupts the turn, and the next prompt is answered", async () => {
  const terminal = openConversation([[say("Begin"), stall()], say("Second answer.")]);
  await terminal.shows("Try:");
  terminal.type("go");
  terminal.type(key.enter);
  await terminal.shows("Begin");

  terminal.type(key.escape);
  await terminal.shows("interrupted");
  terminal.type("again");
  terminal.type(key.enter);

  await terminal.shows("Second answer.");
});

test("ctrl+c clears the prompt; twice on an empty prompt it leaves, and the terminal is restored", async () => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");
  terminal.type("half a thought");
  await terminal.shows("half a thought");

  terminal.type(key.ctrlC);
  await terminal.until((lines) => !lines.join("\n").includes("half a thought"));
  terminal.type(key.ctrlC);
  await terminal.shows("press ctrl+c again to leave");
  terminal.type(key.ctrlC);

  expect(await terminal.exitCode).toBe(0);
  expect(terminal.isOpen()).toBe(false);
});

test("ctrl+d leaves if the prompt is empty", async () => {
  const terminal = openConversation([]);
  await terminal.shows("Try:");

  terminal.type(key.ctrlD);

  expect(await terminal.exitCode).toBe(0);
});

test("a signal leaves with its exit code, and the terminal is restored", async () => {
  const terminal = openConversation([[say("Begin"), stall()]]);
  await terminal.shows("Try:");
  terminal.type("go");
  terminal.type(key.enter);
  await terminal.shows("Begin");

  terminal.signal();

  expect(await terminal.exitCode).toBe(130);
  expect(terminal.isOpen()).toBe(false);
});

test("--continue shows the conversation so far, and continues it", async () => {
  const { home } = memoryIo();
  const first = openConversation([say("It is blue.")], { home });
  await first.shows("Try:");
  first.type("what colour?");
  first.type(key.enter);
  await first.shows("It is blue.");
  first.type(key.ctrlD);
  await first.exitCode;

  const second = openConversation([say("Still blue.")], { home, argv: ["--continue"] });
  await second.shows("It is blue.");
  second.type("really?");
  second.type(key.enter);
  await second.shows("Still blue.");

  expect(second.window().filter((line) => line.startsWith("> "))).toEqual([
    "> what colour?",
    "> really?",
  ]);
  expect(second.provider.requests[0]?.messages).toHaveLength(3);
});

test("a configuration that is wrong is reported on a restored terminal", async () => {
  const terminal = openConversation([], { env: { CAPSTAN_CONFIG: "/nowhere/config.json" } });

  expect(await terminal.exitCode).toBe(2);

  expect(terminal.isOpen()).toBe(false);
  await terminal.until((lines) => lines.join("\n").trim() === "capstan 0.1.0");
});

test("without a terminal there is no conversation: the help is printed", async () => {
  const io = memoryIo();
  const { run } = await import("../../src/process/run.ts");

  expect(await run([], io)).toBe(2);

  expect(io.stderrText()).toContain("Usage: capstan");
});

test("ctrl+l draws the screen again, over whatever another program has written to it", async () => {
  const terminal = openConversation([say("Hello.")]);
  await terminal.shows("Try:");
  terminal.type("hi");
  terminal.type(key.enter);
  await terminal.shows("Hello.");
  terminal.device.write("\u001b[3;1Hgarbage of another program");
  await terminal.shows("garbage");

  terminal.type(key.ctrlL);

  await terminal.until((lines) => !lines.join("\n").includes("garbage"));
  expect(terminal.window()).toContain("Hello.");
});

test("offline the conversation says so, and still shows tools and their results", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "README.md"), "# A harbour\n");
  const terminal = openHeadless(["--offline"], { cwd, size: { columns: 100, rows: 40 } });
  await terminal.shows("No model is connected.");

  terminal.type("what is here?");
  terminal.type(key.enter);

  await terminal.shows('README.md is titled "A harbour"');
  const window = terminal.window().join("\n");
  expect(window).toContain("● ls .\n  README.md");
  expect(window).toContain("● read README.md\n  1    # A harbour");
});
