import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { files, temporaryHome } from "../spawn-command.ts";
import { hasTmux, openPane } from "./tmux.ts";

/** Id of the command's process, a child of the pane's shell. */
function childOf(shell: number): number {
  return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim());
}

describe.skipIf(!hasTmux || process.platform !== "linux")("in tmux, on Linux", () => {
  test("a conversation with the offline provider, and the terminal as it was", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "notes.txt"), "hello\n");
    const pane = openPane(files.main, ["--offline"], { home, cwd: home });
    await pane.shows("Try:");

    pane.type("what is here?");
    pane.press("Enter");
    await pane.shows("notes.txt");
    pane.press("C-c");
    await pane.shows("press ctrl+c again");
    pane.press("C-c");
    await pane.shows("EXIT 0");

    await pane.until((window) => /\nicanon\necho\n/.test(window));
    expect(pane.everything()).toContain("No language model is connected");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s restores the terminal", async (signal, code) => {
    const pane = openPane(files.main, ["--offline"]);
    await pane.shows("Try:");

    process.kill(childOf(pane.pid()), signal);

    await pane.shows(`EXIT ${code}`);
    await pane.until((window) => /\nicanon\necho\n/.test(window));
  });

  test("after kill -9 in the middle of a turn, --continue shows the conversation and finishes it", async () => {
    const home = temporaryHome();
    const cwd = join(home, "project");
    mkdirSync(cwd);
    const first = openPane(files.slowTurn, [], { home, cwd });
    await first.shows("Try:");
    first.type("take your time");
    first.press("Enter");
    await first.shows("Working");
    process.kill(childOf(first.pid()), "SIGKILL");
    await first.shows("EXIT 137");

    const second = openPane(files.slowTurn, ["--continue"], { home, cwd });
    await second.shows("> take your time");
    await second.shows("Working");
    second.press("Escape");
    await second.shows("interrupted");

    second.press("C-d");
    await second.shows("EXIT 0");
  });
});
