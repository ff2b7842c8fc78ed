/** An image that the vendor refuses must not make every later request of the session fail. */
import { createAgent, createSession } from "@capstan/core";
import type { ImagePart } from "@capstan/kernel";
import { say, tinyImage } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import { anthropicEmulator, openAiResponsesEmulator } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { anthropic } from "../src/anthropic.ts";
import { openai } from "../src/openai.ts";
import type { VendorFunction } from "../src/vendors/vendor-function.ts";

type Image = Extract<ImagePart, { readonly data: string }>;

/** Begins like a picture, so that nothing is wrong with it at the door. */
const torn: Image = { type: "image", mediaType: "image/gif", data: "R0lGODlhAQABAAAAACw=" };

interface Case {
  readonly image: Image;
  readonly emulate: (script: readonly ReturnType<typeof say>[]) => Promise<Emulator>;
  readonly vendor: VendorFunction;
  readonly model: string;
}

const cases: Readonly<Record<string, Case>> = {
  anthropic: {
    image: tinyImage,
    emulate: (script) => anthropicEmulator(script, { maxImageBytes: 60 }),
    vendor: anthropic,
    model: "claude-opus-5",
  },
  openai: {
    image: torn,
    emulate: (script) => openAiResponsesEmulator(script),
    vendor: openai,
    model: "gpt-5.5",
  },
};

test.each(Object.entries(cases))(
  "where %s refuses a picture, it is left out, and the session goes on",
  async (_, { image, emulate, vendor, model }) => {
    await using service = await emulate([say("I see nothing."), say("Still nothing.")]);
    const agent = createAgent({ model: vendor(model, { baseUrl: service.url, apiKey: "k" }) });
    const session = createSession({ agent });

    const first = await session.send([{ type: "text", text: "Look" }, image]).response;
    const second = await session.send("And now?").response;

    expect([first.text, second.text]).toEqual(["I see nothing.", "Still nothing."]);
    expect(service.refusals).toHaveLength(1);
    expect(JSON.stringify(service.requests.at(-1)?.body)).not.toContain(image.data);
    await session.close();
  },
);
