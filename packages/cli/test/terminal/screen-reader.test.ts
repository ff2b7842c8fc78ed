import { existsSync } from "node:fs";
import { join } from "node:path";
import { callTool, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { SpokenTranscript } from "../../src/terminal/conversation/spoken-transcript.ts";
import { memoryIo, temporaryFolder } from "../memory-io.ts";
import type { OpenConversation } from "./headless.ts";
import { key, openConversation } from "./headless.ts";

const argv = ["--screen-reader"];

async function send(terminal: OpenConversation, text: string): Promise<void> {
  terminal.type(text);
  terminal.type(key.enter);
}

test("lines are written once: no colours, no movements of the cursor, no seconds that count", async () => {
  const terminal = openConversation(
    [callTool("ls", { path: "." }), say("# Title\n\nSome *text*.")],
    {
      argv,
    },
  );
  await terminal.shows("Try:");

  await send(terminal, "look");
  await terminal.shows("Done.");

  // oxlint-disable-next-line no-control-regex -- Titles and modes are not on the screen.
  const unseen = /\u001b\][^\u0007]*\u0007|\u001b\[(?:\?2004h|>5u|\?u|c|>4;2m)/g;
  expect(terminal.written().replaceAll(unseen, "")).not.toContain("\u001b");
  const lines = terminal.everything();
  expect(lines).toContain("Working. Escape interrupts.");
  expect(lines).toContain('Tool ls: {"path":"."}');
  expect(lines).toContain("ls is done.");
  expect(lines).toContain("Reply: # Title");
  expect(lines.filter((line) => line.includes("Some *text*."))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("look"))).toEqual(["> look"]);
});

test("CAPSTAN_SCREEN_READER chooses it as well", async () => {
  const terminal = openConversation([say("Fine.")], { env: { CAPSTAN_SCREEN_READER: "1" } });
  await terminal.shows("Try:");

  await send(terminal, "hello");

  await terminal.shows("Reply: Fine.");
});

test("a finished paragraph is said before the reply has ended, and only once", () => {
  let text = "";
  let isOpen = true;
  const transcript = new SpokenTranscript(() => [{ type: "reply", id: "1", text, isOpen }]);
  const said: (readonly string[])[] = [];

  for (const piece of ["First para", "graph.\n\nSec", "ond"]) {
    text += piece;
    said.push(transcript.next());
  }
  isOpen = false;
  said.push(transcript.next(), transcript.next());

  expect(said).toEqual([[], ["Reply: First paragraph."], [], ["Second"], []]);
});

test("a permission question is lines, and a number answers it", async () => {
  const cwd = await temporaryFolder();
  const script = [callTool("bash", { command: "touch made.txt" }), say("Made.")];
  const terminal = openConversation(script, { argv, cwd });
  await terminal.shows("Try:");
  await send(terminal, "make it");
  await terminal.shows("Type a number and press enter.");
  const lines = terminal.everything();
  expect(lines).toContain("Question: allow bash?");
  expect(lines).toContain("touch made.txt");
  expect(lines).toContain("1: Yes, once");

  await send(terminal, "what?");
  await terminal.until(
    () => terminal.everything().filter((line) => line.startsWith("Question:")).length === 2,
  );
  await send(terminal, "1");

  await terminal.shows("Reply: Made.");
  expect(existsSync(join(cwd, "made.txt"))).toBe(true);
});

test("no with a reason asks for the reason", async () => {
  const terminal = openConversation([callTool("bash", { command: "touch x" }), say("I see.")], {
    argv,
  });
  await terminal.shows("Try:");
  await send(terminal, "go");
  await terminal.shows("Type a number");

  await send(terminal, "6");
  await terminal.shows("say why not");
  await send(terminal, "not here");

  await terminal.shows("Reply: I see.");
  expect(JSON.stringify(terminal.provider.requests[1]?.messages)).toContain("not here");
});

test("a list is filtered by words and chosen by number", async () => {
  const terminal = openConversation([], { argv });
  await terminal.shows("Try:");
  await send(terminal, "/thinking");
  await terminal.shows("Thinking level: 7 found.");

  await send(terminal, "m");
  await terminal.shows("Thinking level: 3 found.");
  await send(terminal, "2");

  await terminal.shows("thinking: medium");
});

test("escape interrupts, and ctrl+c twice leaves", async () => {
  const terminal = openConversation([[say("Begin"), stall()]], { argv });
  await terminal.shows("Try:");
  await send(terminal, "go");
  await terminal.shows("Working.");

  terminal.type(key.escape);
  await terminal.shows("interrupted");
  await terminal.shows("Done.");
  terminal.type(key.ctrlC);
  await terminal.shows("press ctrl+c again to leave");
  terminal.type(key.ctrlC);

  expect(await terminal.exitCode).toBe(0);
  expect(terminal.isOpen()).toBe(false);
});

test("keys edit the line: backspace, earlier prompts, a second line, a paste", async () => {
  const terminal = openConversation([say("One."), say("Two.")], { argv });
  await terminal.shows("Try:");
  terminal.type("say 日本");
  terminal.type(key.backspace);
  await terminal.until((lines) => lines.at(-1) === "> say 日");
  terminal.type(key.ctrlJ);
  terminal.type("\u001b[200~pasted\ntext\u001b[201~");
  terminal.type(key.enter);
  await terminal.shows("Reply: One.");

  terminal.type(key.up);
  await terminal.until((lines) => lines.at(-1) === "> say 日 / pasted / text");
  terminal.type(key.enter);

  await terminal.shows("Reply: Two.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({
    content: "say 日\npasted\ntext",
  });
});

test("tab completes a command, or tells the possible ones", async () => {
  const terminal = openConversation([], { argv });
  await terminal.shows("Try:");

  terminal.type("/the");
  terminal.type(key.tab);
  await terminal.until((lines) => lines.at(-1) === "> /theme");
  for (const _ of "eme") terminal.type(key.backspace);
  terminal.type(key.tab);

  await terminal.shows("/thinking, /theme");
});

test("of a long conversation only the end is repeated", async () => {
  const { home } = memoryIo();
  const script = Array.from({ length: 15 }, (_, index) => say(`Answer ${index}.`));
  const first = openConversation(script, { home, argv, size: { rows: 60 } });
  await first.shows("Try:");
  for (let index = 0; index < 15; index += 1) {
    await send(first, `question ${index}`);
    await first.shows(`Reply: Answer ${index}.`);
    await first.until((lines) => lines.at(-1) === ">");
  }
  first.type(key.ctrlD);
  await first.exitCode;

  const second = openConversation([], { home, argv: [...argv, "--continue"], size: { rows: 60 } });

  await second.shows("earlier parts are not repeated");
  await second.shows("Reply: Answer 14.");
  expect(second.everything()).not.toContain("Reply: Answer 0.");
});
