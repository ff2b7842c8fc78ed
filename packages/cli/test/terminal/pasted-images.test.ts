import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { say, scriptedProvider } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { imagePathsIn } from "../../src/terminal/prompt/image-paths.ts";
import { choosing } from "../scripted-io.ts";
import { temporaryFolder } from "../memory-io.ts";
import { key, openConversation } from "./headless.ts";

/** One pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function folderWithImages(): Promise<string> {
  const cwd = await temporaryFolder();
  for (const name of ["shot.png", "my shot (1).png", "other.PNG"]) {
    writeFileSync(join(cwd, name), png);
  }
  writeFileSync(join(cwd, "notes.txt"), "text");
  return cwd;
}

const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

describe("paths in a paste", () => {
  test.each([
    ["shot.png", 1],
    ["  shot.png\n", 1],
    ["my shot (1).png", 1],
    [String.raw`my\ shot\ \(1\).png`, 1],
    ["'my shot (1).png' shot.png", 2],
    ['"my shot (1).png"\nother.PNG', 2],
    ["look at shot.png", 0],
    ["notes.txt", 0],
    ["missing.png", 0],
    ["", 0],
    ["'unclosed.png", 0],
  ])("%j has %i", async (text, count) => {
    expect(imagePathsIn(text, await folderWithImages())).toHaveLength(count);
  });

  test("a URL of a file is a path", async () => {
    const cwd = await folderWithImages();
    const file = join(cwd, "my shot (1).png");

    expect(imagePathsIn(pathToFileURL(file).href, "/")).toEqual([file]);
    expect(imagePathsIn("file://%zz.png", "/")).toEqual([]);
  });
});

test("a pasted path of an image becomes a mark, and the image is sent with the message", async () => {
  const cwd = await folderWithImages();
  const terminal = openConversation([say("A pixel.")], { cwd });
  await terminal.shows("Try:");

  terminal.type("what is ");
  terminal.type(paste(join(cwd, "shot.png")));
  await terminal.shows("what is [image #1]");
  terminal.type(key.enter);

  await terminal.shows("A pixel.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({
    content: [
      { type: "text", text: "what is [image #1]" },
      { type: "image", mediaType: "image/png", data: png.toString("base64") },
    ],
  });
});

test("a mark that the user has deleted sends nothing", async () => {
  const cwd = await folderWithImages();
  const terminal = openConversation([say("Nothing.")], { cwd });
  await terminal.shows("Try:");
  terminal.type(paste("shot.png"));
  await terminal.shows("[image #1]");

  terminal.type(key.ctrlC);
  terminal.type("hello");
  terminal.type(key.enter);

  await terminal.shows("Nothing.");
  expect(terminal.provider.requests[0]?.messages[0]).toMatchObject({ content: "hello" });
});

test("a model that cannot see images is not sent any, and the prompt can be brought back", async () => {
  const cwd = await folderWithImages();
  const provider = scriptedProvider([]);
  const model = { ...choosing(provider)(), name: "blind" };
  const terminal = openConversation([], {
    cwd,
    chooseModel: () => ({ ...model, model: { ...model.model, facts: { input: ["text"] } } }),
  });
  await terminal.shows("Try:");
  terminal.type(paste("shot.png"));
  await terminal.shows("[image #1]");

  terminal.type(key.enter);

  await terminal.shows("blind cannot see images: choose another model with /model.");
  expect(provider.requests).toHaveLength(0);
  terminal.type(key.up);
  await terminal.until((lines) => lines.includes("[image #1]"));
});

test("a file that is no image is an error that names it", async () => {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "fake.png"), Buffer.from([0, 1, 2, 255]));
  const terminal = openConversation([], { cwd });
  await terminal.shows("Try:");
  terminal.type(paste("fake.png"));
  await terminal.shows("[image #1]");

  terminal.type(key.enter);

  await terminal.shows("Cannot attach");
});

/** A program that writes an image, in place of the system's. */
async function withProgram(script: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(await temporaryFolder(), "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "image.png"), png);
  writeFileSync(join(bin, "wl-paste"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "wl-paste"), 0o755);
  return {
    PATH: `${bin}:/usr/bin:/bin`,
    WAYLAND_DISPLAY: "wayland-0",
    IMAGE: join(bin, "image.png"),
  };
}

describe("ctrl+v", () => {
  test("ctrl+v adds the image of the clipboard", async () => {
    const env = await withProgram('cat "$IMAGE"');
    const terminal = openConversation([say("A pixel.")], { env });
    await terminal.shows("Try:");

    terminal.type(key.ctrlV);
    await terminal.shows("[image #1]");
    terminal.type(key.enter);

    await terminal.shows("A pixel.");
    expect(JSON.stringify(terminal.provider.requests[0])).toContain(png.toString("base64"));
  });

  test("says that there is no image", async () => {
    const env = await withProgram("exit 1");
    const terminal = openConversation([], { env });
    await terminal.shows("Try:");

    terminal.type(key.ctrlV);

    await terminal.shows("The clipboard has no image.");
  });

  test("names the programs that it needs", async () => {
    const terminal = openConversation([], { env: { PATH: await temporaryFolder() } });
    await terminal.shows("Try:");

    terminal.type(key.ctrlV);

    await terminal.shows("needs xclip or wl-paste, which is not installed");
  });
});
