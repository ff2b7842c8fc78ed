import { join } from "node:path";
import { mkdirSync } from "node:fs";
import { sqlite } from "@capstan/stores/sqlite";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { agentNameOf } from "../../src/session/folder-agent.ts";
import { memoryIo } from "../memory-io.ts";
import { key, openConversation } from "./headless.ts";

const size = { columns: 120, rows: 40 };
const count = 3_000;

/** A session that was really held, and thousands beside it, half of them of another folder. */
async function homeWithSessions(): Promise<string> {
  const { home } = memoryIo();
  const first = openConversation([say("The needle is in the red box.")], { home, size });
  await first.shows("Try:");
  first.type("where is the needle?");
  first.type(key.enter);
  await first.shows("red box");
  first.type(key.ctrlD);
  await first.exitCode;
  const folder = join(home, ".local/share/capstan");
  mkdirSync(folder, { recursive: true });
  const store = sqlite(join(folder, "sessions.db"));
  for (let index = 0; index < count; index += 1) {
    const principal = index % 2 === 0 ? home : "/another/folder";
    const agent = agentNameOf(principal);
    const at = Date.now() + index;
    await store.create(
      `hay${index}`,
      [{ v: 1, id: "created", at, type: "created", agent, principal }],
      { status: "completed", agent, principal, title: `hay ${index}`, seen: 1, updatedAt: at },
    );
  }
  await store.close();
  return home;
}

test("/resume and /sessions filter thousands of sessions, and show the end of the selected one", async () => {
  const home = await homeWithSessions();
  const terminal = openConversation([say("Still there.")], { home, size });
  await terminal.shows("Try:");
  terminal.type("/sessions");
  terminal.type(key.enter);
  await terminal.shows(`Session (${count + 1})`);
  terminal.type(key.escape);
  await terminal.until((lines) => !lines.join("\n").includes("Session ("));

  terminal.type("/resume");
  terminal.type(key.enter);
  await terminal.shows(`Session (${count / 2 + 1})`);
  for (const letter of "needle") terminal.type(letter);
  await terminal.shows("Session (1)");
  await terminal.shows("The needle is in the red box.");
  terminal.type(key.enter);
  await terminal.shows("> where is the needle?");
  terminal.type("and now?");
  terminal.type(key.enter);

  await terminal.shows("Still there.");
  expect(terminal.provider.requests[0]?.messages).toHaveLength(3);
}, 60_000);
