/** Files that the model has not seen as they are: nothing of the user's is overwritten. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { ToolMessage } from "@capstan/kernel";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { createToolset } from "@capstan/toolset";
import { expect, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const read = callTool("read", { path: "a.txt" });
const write = (content: string) => callTool("write", { path: "a.txt", content });
const edit = (old: string, now: string) =>
  callTool("edit", { path: "a.txt", edits: [{ old, new: now }] });

interface World {
  readonly cwd: string;
  /** Runs a turn with these calls in one process, and returns their results. */
  turn(script: readonly ScriptItem[]): Promise<readonly ToolMessage[]>;
  file(): Promise<string>;
}

/** One session, and a host of its own for each turn. */
async function worldWith(text: string | undefined): Promise<World> {
  const cwd = await temporaryFolder();
  if (text !== undefined) await writeFile(join(cwd, "a.txt"), text);
  const repository = memoryRepository();
  return {
    cwd,
    file: () => readFile(join(cwd, "a.txt"), "utf8"),
    async turn(script) {
      const model = scriptedProvider([...script, say("Done")]);
      const agent = createAgent({ model, tools: createToolset({ cwd }) });
      const host = createHost({ agents: [agent], repository });
      const session = await host.session("s1", { agent: "agent" });
      const { messages } = await session.send("Go").response;
      await host.close();
      return messages.filter((message) => message.role === "tool");
    },
  };
}

test("a file that was never read is neither replaced nor edited", async () => {
  const world = await worldWith("the user's");

  const results = await world.turn([write("mine"), edit("user", "agent")]);

  expect(results.map(({ isError, content }) => [isError, content])).toEqual([
    [true, expect.stringContaining("you have not read it")],
    [true, expect.stringContaining("you have not read it")],
  ]);
  expect(await world.file()).toBe("the user's");
});

test("a new file needs no reading, and what the model wrote it has seen", async () => {
  const world = await worldWith(undefined);

  const results = await world.turn([write("one"), edit("one", "two"), write("three")]);

  expect(results.map(({ isError }) => isError)).toEqual([false, false, false]);
  expect(await world.file()).toBe("three");
});

test("a file that the user has changed since is left alone, and the model reads what has changed", async () => {
  const world = await worldWith("v1\n");
  await world.turn([read]);
  await writeFile(join(world.cwd, "a.txt"), "USER EDIT v2\n");

  const [written, edited] = await world.turn([write("v3"), edit("v1", "v3")]);

  expect(written).toMatchObject({ isError: true, details: { code: "changed" } });
  expect(written?.content).toContain("+USER EDIT v2");
  expect(edited).toMatchObject({ isError: true, details: { code: "changed" } });
  expect(await world.file()).toBe("USER EDIT v2\n");
  const [, again] = await world.turn([read, write("v3")]);
  expect(again).toMatchObject({ isError: false });
});

test("what was read counts in a later turn of another process, as long as the file is the same", async () => {
  const world = await worldWith("v1");
  await world.turn([read]);
  // The same content with another time is the same file.
  await writeFile(join(world.cwd, "a.txt"), "v1");

  const [edited] = await world.turn([edit("v1", "v2")]);

  expect(edited).toMatchObject({ isError: false });
  expect(await world.file()).toBe("v2");
});

test("a read in the same reply counts", async () => {
  const world = await worldWith("v1");

  const results = await world.turn([reply(read, edit("v1", "v2"))]);

  expect(results.map(({ isError }) => isError)).toEqual([false, false]);
});

test("a file with \\r\\n and a byte order mark keeps both when it is replaced", async () => {
  const world = await worldWith("\ufeffone\r\ntwo\r\n");

  const [, written] = await world.turn([read, write("three\nfour\n")]);

  expect(await world.file()).toBe("\ufeffthree\r\nfour\r\n");
  expect(written?.content).toContain("line ends \\r\\n kept");
});

test("~ is not a folder name", async () => {
  const world = await worldWith(undefined);

  const [written] = await world.turn([callTool("write", { path: "~/a.txt", content: "x" })]);

  expect(written).toMatchObject({ isError: true, details: { code: "outside" } });
  expect(written?.content).toContain("home folder");
});
