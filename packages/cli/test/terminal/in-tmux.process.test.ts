import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { files, temporaryHome } from "../spawn-command.ts";
import { hasTmux, openPane } from "./tmux.ts";

/** Id of the command's process, a child of the pane's shell. */
function childOf(shell: number): number {
  return Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim());
}

/** A pane in which a turn is in progress that does not end by itself. */
async function beginSlowTurn() {
  const home = temporaryHome();
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const pane = openPane(files.slowTurn, [], { home, cwd });
  await pane.shows("Try:");
  pane.type("take your time");
  pane.press("Enter");
  await pane.shows("Working");
  return { home, cwd, pane };
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
    const { home, cwd, pane: first } = await beginSlowTurn();
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

  test("ctrl+z returns to the shell, and fg to the conversation", async () => {
    const pane = openPane(files.main, ["--offline"], { hasJobs: true });
    await pane.shows("Try:");
    pane.type("half a prompt");
    await pane.shows("half a prompt");

    pane.press("C-z");
    await pane.shows("Stopped");
    pane.type("stty -a | tr ' ' '\\n' | grep -x -e '-*icanon' -e '-*echo'");
    pane.press("Enter");
    await pane.until((window) => /\nicanon\necho\n/.test(window));
    pane.type("fg");
    pane.press("Enter");

    await pane.until((window) => /─\nhalf a prompt\n─/.test(window));
    pane.type(" and the rest");
    await pane.shows("half a prompt and the rest");
  });

  test("a conversation that another process has stopped is drawn again when it continues", async () => {
    const pane = openPane(files.main, ["--offline"], { hasJobs: true });
    await pane.shows("Try:");
    const [command] = readFileSync(`/proc/${pane.pid()}/task/${pane.pid()}/children`, "utf8").split(
      " ",
    );

    process.kill(Number(command), "SIGSTOP");
    await pane.shows("Stopped");
    pane.type("fg");
    pane.press("Enter");
    await pane.gone("Stopped");

    pane.type("still here");
    await pane.until((window) => /─\nstill here\n─/.test(window));
  });

  test.each(["SIGTERM", "SIGHUP"] as const)("%s leaves the alternate screen", async (signal) => {
    const pane = openPane(files.main, ["--offline", "--fullscreen"]);
    await pane.shows("Try:");
    expect(pane.isAlternate()).toBe(true);

    process.kill(childOf(pane.pid()), signal);

    await pane.shows("EXIT");
    expect(pane.isAlternate()).toBe(false);
    await pane.until((window) => /\nicanon\necho\n/.test(window));
  });

  test("a failure of the program itself restores the terminal", async () => {
    const pane = openPane(files.crashing, ["--fullscreen"]);
    await pane.shows("Try:");

    pane.type("crash");
    pane.press("Enter");

    await pane.shows("EXIT");
    expect(pane.isAlternate()).toBe(false);
    await pane.until((window) => /\nicanon\necho\n/.test(window));
  });

  test("--screen-reader writes plain lines", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "notes.txt"), "hello\n");
    const pane = openPane(files.main, ["--offline", "--screen-reader"], { home, cwd: home });
    await pane.shows("Try:");

    pane.type("what is here?");
    pane.press("Enter");
    await pane.shows("Done.");
    pane.press("C-d");

    await pane.shows("EXIT 0");
    expect(pane.everything()).toContain("Tool ls:");
  });

  test("two terminals show the same turn", async () => {
    const { home, cwd, pane: first } = await beginSlowTurn();

    const second = openPane(files.slowTurn, ["--continue"], { home, cwd });
    await second.shows("> take your time");
    await second.shows("Working");
    first.press("Escape");

    await first.shows("interrupted");
    await second.shows("interrupted");
  });
});
