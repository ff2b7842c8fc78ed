/** Journeys of users through a conversation, on any screen, with a service that is emulated as strictly as the vendor's. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTool, say, wait } from "@capstan/testing";
import type { Emulator, EmulatorScriptItem } from "@capstan/testing/emulators";
import { anthropicEmulator } from "@capstan/testing/emulators";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../memory-io.ts";
import { noServers } from "../model/settings.ts";
import { key } from "./headless.ts";

/** A screen that is driven by keys. */
export interface Driven {
  /** Types text, or the bytes of a key. */
  type(keys: string): void;
  paste(text: string): void;
  shows(text: string): Promise<void>;
  /** Resolves once the window does not have the text. */
  gone(text: string): Promise<void>;
  window(): string;
  /** Scrollback and window. */
  everything(): string;
  resize(columns: number, rows: number): void;
}

export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Journey {
  readonly script: (place: Place) => readonly EmulatorScriptItem[];
  readonly argv?: readonly string[];
  readonly travel: (screen: Driven, place: Place, service: Emulator) => Promise<void>;
}

const model = "anthropic/claude-opus-5-5";
const otherModel = "anthropic/claude-sonnet-5";

/** A user with a key, a project and a service. */
export async function prepare({ script }: Journey): Promise<{ place: Place; service: Emulator }> {
  const home = await temporaryFolder();
  const cwd = join(home, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "wait-for"), waitForScript);
  const config = join(home, "config.json");
  const env = {
    ...noServers,
    PATH: process.env["PATH"] ?? "",
    CAPSTAN_CONFIG: config,
    ANTHROPIC_API_KEY: "sk-test",
  };
  const place = { home, cwd, env };
  const service = await anthropicEmulator(script(place), { apiKey: "sk-test" });
  onTestFinished(() => service.close());
  const providers = { anthropic: { baseUrl: service.url } };
  writeFileSync(config, JSON.stringify({ model, providers }));
  return { place, service };
}

/** Writes a line, waits for a file, and writes another line. */
const waitFor = (file: string): string => `sh wait-for ${file}`;
const waitForScript = `echo it has begun; while [ ! -e $1 ]; do sleep 0.05; done; echo it has ended\n`;

async function send(screen: Driven, text: string): Promise<void> {
  screen.type(text);
  await screen.shows(text);
  screen.type(key.enter);
}

function textOf(service: Emulator, index: number): string {
  return JSON.stringify(service.requests.at(index));
}

export const journeys: Readonly<Record<string, Journey>> = {
  "a tool with live output, a rule that is remembered, steering, a follow-up and an interruption": {
    script: () => [
      callTool("bash", { command: waitFor("go") }),
      say("I was steered."),
      say("I have followed."),
      callTool("bash", { command: waitFor("go") }),
      say("No question this time."),
      callTool("bash", { command: waitFor("never") }),
      say("After the interruption."),
    ],
    travel: async (screen, { cwd, env }, service) => {
      await screen.shows("Try:");
      await send(screen, "please begin");
      await screen.shows("? Allow bash?");
      await screen.shows("always in this session");
      screen.type("4");
      await screen.shows("it has begun");
      expect(screen.window()).not.toContain("it has ended");
      expect(readFileSync(env["CAPSTAN_CONFIG"] ?? "", "utf8")).toContain("bash(sh wait-for go)");

      await send(screen, "go another way");
      await screen.shows("steering: go another way");
      screen.type("and then this");
      screen.type(key.altEnter);
      await screen.shows("follow-up: and then this");
      writeFileSync(join(cwd, "go"), "");

      await screen.shows("I was steered.");
      await screen.shows("I have followed.");
      expect(screen.window()).toContain("> go another way");
      expect(textOf(service, 1)).toContain("go another way");
      await send(screen, "once more");
      await screen.shows("No question this time.");
      await send(screen, "wait for ever");
      await screen.shows("? Allow bash?");
      screen.type("y");
      await screen.shows("esc interrupts");
      await screen.shows("it has begun");
      screen.type(key.escape);
      await screen.shows("interrupted");
      await send(screen, "and now?");
      await screen.shows("After the interruption.");
    },
  },
  "a compaction, another model, a fork, a rewind and an export": {
    script: () => [
      say("A long answer. ".repeat(400)),
      say("They talked at length."),
      say("By the other model."),
      say("In the copy."),
      say("Another end."),
    ],
    travel: async (screen, { cwd }, service) => {
      await screen.shows("Try:");
      await send(screen, "tell me everything");
      await screen.shows("A long answer.");
      await screen.gone("esc interrupts");
      await send(screen, "/compact");
      await screen.shows("context compacted");

      await send(screen, `/model ${otherModel}`);
      await screen.shows(`using ${otherModel}`);
      await send(screen, "who are you?");
      await screen.shows("By the other model.");
      expect(textOf(service, 2)).toContain("claude-sonnet-5");
      expect(textOf(service, 2)).toContain("They talked at length.");

      await send(screen, "/fork");
      await screen.shows("is a copy of");
      await send(screen, "only here");
      await screen.shows("In the copy.");
      await send(screen, "/rewind");
      await screen.shows("Rewind to before");
      screen.type(key.enter);
      await screen.shows("files stay as they are");
      screen.type(key.enter);
      await screen.shows("Another end.");
      expect(textOf(service, 4)).not.toContain("In the copy.");

      await send(screen, "/export talk.md");
      await screen.shows("written to");
      expect(readFileSync(join(cwd, "talk.md"), "utf8")).toContain("Another end.");
    },
  },
  "a paste of 5,000 lines, and a resize in the middle of a stream": {
    script: ({ cwd }) => [
      say("I have read it."),
      [
        say(`${numbered(30)}\n\n`),
        wait(until(() => existsSync(join(cwd, "resized")))),
        say("Line number 31.\n\nThe end."),
      ],
    ],
    travel: async (screen, { cwd }, service) => {
      const pasted = Array.from({ length: 5_000 }, (_, index) => `pasted ${index}`).join("\n");
      await screen.shows("Try:");
      screen.paste(pasted);
      await screen.shows("[paste #1 +5000 lines]");
      screen.type(key.enter);
      await screen.shows("I have read it.");
      expect(textOf(service, 0)).toContain(JSON.stringify(pasted).slice(1, -1));

      await screen.gone("esc interrupts");
      await send(screen, "count");
      await screen.shows("Line number 30.");
      screen.resize(60, 16);
      await screen.shows("Line number 30.");
      writeFileSync(join(cwd, "resized"), "");
      await screen.shows("The end.");

      const missing = numbered(31)
        .split("\n\n")
        .filter((line) => !screen.everything().split("\n").includes(line));
      expect(missing).toEqual([]);
    },
  },
};

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `Line number ${index + 1}.`).join("\n\n");
}

/** Resolves once this is so: a file comes from another process. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
