import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, say, usage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/terminal/commands/commands.ts";
import { keys } from "../../src/terminal/keys.ts";
import { memoryIo, temporaryFolder } from "../memory-io.ts";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

const size = { columns: 100, rows: 50 };

async function enter(terminal: OpenConversation, text: string): Promise<void> {
  await terminal.shows("scripted ·");
  terminal.type(text);
  terminal.type(key.enter);
}

async function talk(terminal: OpenConversation, prompt: string, answer: string): Promise<void> {
  await terminal.shows("scripted ·");
  terminal.type(prompt);
  terminal.type(key.enter);
  await terminal.shows(answer);
}

describe("slash commands", () => {
  test("/help shows every key and every command", async () => {
    const terminal = openConversation([], { size: { columns: 100, rows: 70 } });

    await enter(terminal, "/help");

    await terminal.shows("/quit");
    const window = terminal.window().join("\n");
    const missing = [
      ...keys.map((row) => `${row.key} `),
      ...commands.map(({ name }) => `/${name}`),
    ].filter((word) => !window.includes(word));
    expect(missing).toEqual([]);
  });

  test("an unknown command is not sent to the model", async () => {
    const terminal = openConversation([], { size });

    await enter(terminal, "/hepl");

    await terminal.shows("did you mean /help?");
    expect(terminal.provider.requests).toHaveLength(0);
  });

  test("a path that begins with a slash is a prompt", async () => {
    const terminal = openConversation([say("A file.")], { size });

    await enter(terminal, "/etc/hosts is what?");

    await terminal.shows("A file.");
  });

  test("/thinking sets the level of the next turn", async () => {
    const terminal = openConversation([say("Deep.")], { size });
    await enter(terminal, "/thinking high");
    await terminal.shows("thinking: high");

    await talk(terminal, "think", "Deep.");

    expect(terminal.provider.requests[0]).toMatchObject({ options: { thinkingLevel: "high" } });
  });

  test("/thinking without a level offers all of them", async () => {
    const terminal = openConversation([], { size });
    await enter(terminal, "/thinking");
    await terminal.shows("Thinking level");

    terminal.type("med");
    await terminal.shows("❯ medium");
    terminal.type(key.enter);

    await terminal.shows("thinking: medium");
  });

  test("/model opens the session again with that model", async () => {
    const terminal = openConversation([say("One.")], { size });
    await talk(terminal, "hello", "One.");

    await enter(terminal, "/model other/model");

    await terminal.shows("using scripted");
    expect(terminal.window()).toContain("> hello");
  });

  test("/cost and /context show tokens", async () => {
    const script = [[say("Counted."), usage({ inputTokens: 1_200, outputTokens: 30 })]];
    const terminal = openConversation(script, { size });
    await talk(terminal, "count", "Counted.");

    await enter(terminal, "/cost");
    await terminal.shows("session: 1,200 tokens in, 30 out");
    await enter(terminal, "/context");

    await terminal.shows("the last request had 1,200 tokens");
  });

  test("/todos shows the list", async () => {
    const todos = [{ content: "Write it", status: "pending" }];
    const terminal = openConversation([callTool("write_todos", { todos }), say("Planned.")], {
      size,
    });
    await talk(terminal, "plan", "Planned.");

    await enter(terminal, "/todos");

    await terminal.until(
      (lines) => lines.filter((line) => line.includes("[ ] Write it")).length === 2,
    );
  });

  test("/permissions shows rules with their layers", async () => {
    const terminal = openConversation([], { size, argv: ["--allow", "bash(ls)"] });

    await enter(terminal, "/permissions");

    await terminal.shows("allow  bash(ls), on the command line");
  });

  test("/export writes the conversation, and never replaces a file", async () => {
    const cwd = await temporaryFolder();
    const terminal = openConversation([say("Exported.")], { size, cwd });
    await talk(terminal, "write this", "Exported.");

    await enter(terminal, "/export talk.md");
    await terminal.shows("written to");
    await enter(terminal, "/export talk.md");
    await terminal.shows("Cannot write");

    expect(readFileSync(join(cwd, "talk.md"), "utf8")).toContain("## User\n\nwrite this");
  });

  test("/copy hands the last reply to the terminal's clipboard", async () => {
    const terminal = openConversation([say("Copy me.")], { size });
    await talk(terminal, "hello", "Copy me.");

    await enter(terminal, "/copy");

    await terminal.shows("copied 8 characters");
    const encoded = Buffer.from("Copy me.").toString("base64");
    expect(terminal.written()).toContain(`\u001b]52;c;${encoded}\u0007`);
  });

  test("/theme plain draws without colours", async () => {
    const terminal = openConversation([say("# Title")], { size });
    await talk(terminal, "hello", "Title");
    const before = terminal.written().length;

    await enter(terminal, "/theme plain");
    await terminal.until((lines) => !lines.join("\n").includes("/theme"));
    terminal.type("x");
    await terminal.until((lines) => lines.includes("x"));

    const drawn = terminal.written().slice(before);
    expect(drawn.slice(drawn.lastIndexOf("Title") - 40)).not.toMatch(/\[(?:3\d|9\d)m/);
  });

  test("/rewind cuts the conversation, puts the prompt back, and leaves files alone", async () => {
    const cwd = await temporaryFolder();
    const script = [
      callTool("bash", { command: "touch made.txt" }),
      say("First answer."),
      say("Other answer."),
    ];
    const terminal = openConversation(script, { size, cwd, argv: ["--allow", "*"] });
    await talk(terminal, "make a file", "First answer.");

    await enter(terminal, "/rewind");
    await terminal.shows("Rewind to before");
    terminal.type(key.enter);
    await terminal.shows("files stay as they are");
    await terminal.until((lines) => !lines.join("\n").includes("First answer."));
    terminal.type(key.enter);
    await terminal.shows("Other answer.");

    expect(existsSync(join(cwd, "made.txt"))).toBe(true);
    expect(terminal.provider.requests.at(-1)?.messages).toHaveLength(1);
  });

  test("/fork continues in a copy, and /resume returns to the original", async () => {
    const { home } = memoryIo();
    const terminal = openConversation([say("Original."), say("In the copy."), say("Back.")], {
      size,
      home,
    });
    await talk(terminal, "begin", "Original.");

    await enter(terminal, "/fork");
    await terminal.shows("is a copy of");
    await talk(terminal, "only here", "In the copy.");
    await enter(terminal, "/resume");
    await terminal.shows("Session (2)");
    terminal.type(key.down);
    await terminal.until((lines) => lines.some((line) => line.startsWith("❯")));
    terminal.type(key.enter);
    await terminal.until((lines) => !lines.join("\n").includes("Session (2)"));
    await talk(terminal, "again", "Back.");

    const sent = JSON.stringify(terminal.provider.requests.at(-1)?.messages);
    expect([sent.includes("begin"), sent.includes("only here")]).toEqual([true, false]);
  });

  test("/clear starts a new session", async () => {
    const terminal = openConversation([say("Old."), say("New.")], { size });
    await talk(terminal, "first", "Old.");

    await enter(terminal, "/clear");
    await terminal.until((lines) => lines.filter((line) => line.startsWith("session ")).length > 0);
    await talk(terminal, "second", "New.");

    expect(terminal.provider.requests.at(-1)?.messages).toHaveLength(1);
  });

  test("/compact replaces the conversation by a summary for the model", async () => {
    const terminal = openConversation([say("Long answer. ".repeat(500)), say("In short.")], {
      size,
    });
    await talk(terminal, "tell me", "Long answer.");

    await enter(terminal, "/compact");

    await terminal.shows("context compacted");
  });

  test("/quit leaves", async () => {
    const terminal = openConversation([], { size });

    await enter(terminal, "/quit");

    expect(await terminal.exitCode).toBe(0);
  });
});
