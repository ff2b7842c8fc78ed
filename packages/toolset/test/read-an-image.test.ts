import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "@capstan/core";
import { callTool as call, say, scriptedProvider } from "@capstan/testing";
import { readTool } from "@capstan/toolset";
import { callTool } from "./call-tool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const starts = {
  "a.png": "\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
  "a.jpg": "\xff\xd8\xff\xe0",
  "a.gif": "GIF89a",
  "a.webp": "RIFF\0\0\0\0WEBPVP8 ",
};

test("images are known by their first bytes, whatever their names are", async () => {
  const cwd = await temporaryFolder();
  const files = Object.entries(starts);
  await Promise.all(files.map(([name, start]) => writeFile(join(cwd, name), start, "latin1")));

  const outputs = await Promise.all(
    files.map(([path]) => callTool(readTool(), { path }, { cwd }) as Promise<unknown>),
  );

  expect(outputs).toEqual(
    ["image/png", "image/jpeg", "image/gif", "image/webp"].map((mediaType, index) => [
      { type: "text", text: `${files[index]?.[0]} (${mediaType})` },
      {
        type: "image",
        mediaType,
        data: Buffer.from(files[index]?.[1] ?? "", "latin1").toString("base64"),
      },
    ]),
  );
});

test("an image reaches the model as an image", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "dot.gif"), gif);
  const model = scriptedProvider([call("read", { path: "dot.gif" }), say("A dot.")]);

  const { messages } = await createAgent({ model, tools: [readTool({ cwd })] }).runTurn({
    input: "Look at dot.gif",
  }).response;

  expect(messages.find((message) => message.role === "tool")?.content).toContainEqual({
    type: "image",
    mediaType: "image/gif",
    data: gif.toString("base64"),
  });
});

test("an image that is too large is refused unread", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "huge.gif"), gif);
  await truncate(join(cwd, "huge.gif"), 2 ** 40);

  const output = await callTool(readTool(), { path: "huge.gif" }, { cwd });

  expect(output).toMatchObject({ ok: false, details: { code: "too_large" } });
});
