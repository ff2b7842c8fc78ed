/** Streams of pages that are cut at every chunk: the page comes back, and ends with the same message. */
import { callTool, echoTool, reply, say, think, wait } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { cuttingProxy } from "../../packages/client/test/cutting-proxy.ts";
import { until } from "./mount-hook.ts";
import type { PageChat } from "./sdk.ts";
import { missing } from "./sdk.ts";
import type { PageKind } from "./world.ts";
import { open, pageKinds, serve, shown, suiteName } from "./world.ts";

const script = [
  reply(think(["Let ", "me"]), say(["I ", "look"]), callTool("echo", { n: 1 })),
  say(["All ", "is ", "well"]),
];

/** A page whose stream is cut after so many frames. */
async function shownAfterCut(page: PageKind, afterFrames: number) {
  const { url } = await serve(script, [echoTool()]);
  const proxy = await cuttingProxy(url, { afterFrames });
  const chat = await open(page, proxy.url);
  await chat.sendMessage({ text: "Hi" });
  return { chat, wasCut: proxy.counts.cuts > 0, frames: proxy.counts.frames };
}

/** The message without what differs between two sessions. */
function essence(chat: PageChat): unknown {
  const { parts = [] } = chat.messages.at(-1) ?? {};
  return parts.map(({ toolCallId: _1, id: _2, ...part }) => part);
}

const transports = pageKinds.filter(({ way }) => way === "transport");
const routes = pageKinds.filter(({ way }) => way === "route");

describe.skipIf(missing !== undefined).each(transports)(suiteName, (page) => {
  test("cut at every chunk: the page does not notice, and shows the same message", async () => {
    const whole = await shownAfterCut(page, Infinity);

    const cuts: boolean[] = [];
    for (let place = 0; place < whole.frames; place += 1) {
      const { chat, wasCut } = await shownAfterCut(page, place);
      expect([chat.error, chat.status]).toEqual([undefined, "ready"]);
      expect(essence(chat)).toEqual(essence(whole.chat));
      cuts.push(wasCut);
    }

    expect(cuts.length).toBeGreaterThan(5);
    expect(cuts.every(Boolean)).toBe(true);
  });
});

describe.skipIf(missing !== undefined).each(routes)(suiteName, (page) => {
  test("cut at every chunk: the page resumes, and ends with the same message", async () => {
    const { chat: whole } = await shownAfterCut(page, Infinity);

    let cuts = 0;
    for (let place = 0; ; place += 1) {
      const gate = Promise.withResolvers<void>();
      const [first = say(""), last = say("")] = script;
      const { url } = await serve([first, reply(wait(gate.promise), last)], [echoTool()]);
      const proxy = await cuttingProxy(url, { afterFrames: place });
      const chat = await open(page, proxy.url);
      const sent = chat.sendMessage({ text: "Hi" });
      await until(() => expect(shown(chat).at(-1) === atGate || isCut(chat)).toBe(true));
      // The cut would be after the model goes on.
      if (!isCut(chat)) {
        gate.resolve();
        await sent;
        break;
      }
      cuts += 1;
      // Versions 5 and 6 resume only in a page that is loaded again: what is there is not replaced.
      const messages = chat.messages.slice(0, 1);
      const back = page.version === 7 ? chat : await open(page, proxy.url, () => ({ messages }));
      const resumed = back.resumeStream();
      const isBack = ["streaming", atGate];
      await until(() => expect([back.status, shown(back).at(-1)]).toEqual(isBack));
      gate.resolve();
      await resumed;
      expect([back.error, back.status]).toEqual([undefined, "ready"]);
      expect(back.messages).toHaveLength(2);
      expect(essence(back)).toEqual(essence(whole));
    }

    expect(cuts).toBeGreaterThan(9);
  });
});

/** The last part before the model waits. */
const atGate = "tool-echo output-available";

function isCut(chat: PageChat): boolean {
  return chat.status === "error";
}
