/** Behaviour of a page in the hands of its users: reloads, stops, the keyboard, errors, accessibility. */
import { callTool, failBefore, reply, say, stall, think, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { accessibilityFindings } from "./browser.ts";
import type { RunningPages } from "./chat-page.ts";
import { continueWith } from "./chat-page.ts";

export function testUse(running: RunningPages): void {
  test("goes on where it was after the page was loaded again", async () => {
    const rest = Promise.withResolvers<void>();
    const chat = await running.pages.open([
      say("First answer"),
      reply(say("One, "), wait(rest.promise), continueWith("two, three")),
    ]);
    await chat.say("Hello");
    await chat.rest("First answer");

    await chat.say("Count");
    await chat.replies.last().getByText("One,").waitFor();
    await chat.page.reload();
    await chat.replies.last().getByText("One,").waitFor();
    await chat.button("Stop").waitFor();
    rest.resolve();
    await chat.rest("One, two, three");
    const live = await chat.log.getByRole("article").allInnerTexts();
    await chat.page.reload();
    await chat.rest("One, two, three");

    expect(live).toEqual(["Hello", "First answer", "Count", "One, two, three"]);
    expect(await chat.log.getByRole("article").allInnerTexts()).toEqual(live);
  });

  test("keeps an added message in its order when the page is loaded again", async () => {
    const { work } = running.pages;
    const before = work.started.length;
    const rest = Promise.withResolvers<void>();
    const counting = reply(say("One, "), wait(rest.promise), continueWith("two"));
    const chat = await running.pages.open([callTool("work", {}), counting]);
    await chat.say("Find books");
    const call = (await work.whenStarted(before + 1)).at(-1);
    await chat.button("Stop").waitFor();
    await chat.say("Only short ones");
    await chat.log.getByText("Waits for the next step").waitFor();
    work.resolve(call?.toolCallId ?? "", "found");
    await chat.log.getByText("Sent while it worked").waitFor();

    await chat.page.reload();
    await chat.replies.last().getByText("One,").waitFor();
    rest.resolve();
    await chat.rest("One, two");
    const live = await chat.log.getByRole("article").allInnerTexts();
    await chat.page.reload();
    await chat.rest("One, two");

    expect(live.map((text) => text.split("\n")[0])).toEqual([
      "Find books",
      "work",
      "Only short ones",
      "One, two",
    ]);
    expect(await chat.log.getByRole("article").allInnerTexts()).toEqual(live);
  });

  test("asks again for an approval after the page was loaded again", async () => {
    const before = running.pages.book.started.length;
    const chat = await running.pages.open([callTool("book", { people: 2 }), say("Booked")]);
    await chat.say("A table for two");
    await chat.approval.waitFor();

    await chat.page.reload();
    await chat.approval.waitFor();
    await chat.button("Approve").click();
    await chat.rest("Booked");

    expect(running.pages.book.started.slice(before).map(({ input }) => input)).toEqual([
      { people: 2 },
    ]);
  });

  test("stops a reply by Escape, and a tool by the button", async () => {
    const before = running.pages.work.started.length;
    const chat = await running.pages.open([
      reply(say("Once upon"), stall()),
      callTool("work", {}),
      say("Yes"),
    ]);

    await chat.say("Tell a story");
    await chat.replies.getByText("Once upon").waitFor();
    await chat.page.keyboard.press("Escape");
    await chat.rest("Stopped");
    await chat.say("Work");
    const call = (await running.pages.work.whenStarted(before + 1)).at(-1);
    await chat.button("Stop").click();
    await chat.button("Send").waitFor();
    await chat.log.locator("details.tool").getByText("running").waitFor({ state: "hidden" });
    await chat.say("Are you there?");
    await chat.rest("Yes");

    expect(running.pages.work.aborted).toContain(call?.toolCallId);
    expect(await chat.replies.first().innerText()).toContain("Once upon");
  });

  test("sends by Enter, starts a line by Shift+Enter, and is used by the keyboard alone", async () => {
    const chat = await running.pages.open([say("Two lines")]);
    const focused = "document.activeElement.id || document.activeElement.innerText";
    await chat.button("Book a table for four").waitFor();

    const first = await chat.page.evaluate(focused);
    await chat.field.press("a");
    await chat.field.press("Shift+Enter");
    await chat.field.press("b");
    const typed = await chat.field.inputValue();
    await chat.page.keyboard.press("Tab");
    const second = await chat.page.evaluate(focused);
    await chat.page.keyboard.press("Enter");
    await chat.rest("Two lines");

    expect([first, second, typed]).toEqual(["message", "Send", "a\nb"]);
    expect(await chat.field.inputValue()).toBe("");
    expect(await chat.page.getByRole("status").innerText()).toBe("Reply complete");
  });

  test("shows an error of the turn, and takes the next message", async () => {
    const broken = failBefore(new Error("The model is broken"));
    const chat = await running.pages.open([broken, say("Better now")]);

    await chat.say("Hello");
    await chat.page.getByRole("alert").waitFor();
    await chat.say("And now?");
    await chat.rest("Better now");

    expect(await chat.page.getByRole("alert").isVisible()).toBe(false);
  });

  test("has no serious findings of axe-core in light, dark and narrow, and fits 360 pixels", async () => {
    const markdown =
      "## Title\n\n`code` and [link](https://example.com/)\n\n> quote\n\n```ts\nlet wide = 1;\n```";
    const before = running.pages.work.started.length;
    const chat = await running.pages.open([
      reply(think("Hm"), say(markdown), callTool("work", {})),
      callTool("book", { n: 1 }),
    ]);
    const { page } = chat;
    await chat.button("Book a table for four").waitFor();
    const welcome = await accessibilityFindings(page);

    await chat.say("Hello");
    const call = (await running.pages.work.whenStarted(before + 1)).at(-1);
    await chat.replies.locator("details.tool summary").click();
    const working = await accessibilityFindings(page);
    running.pages.work.resolve(call?.toolCallId ?? "", "wide ".repeat(200));
    await chat.approval.waitFor();
    await chat.button("Send").waitFor();
    const light = await accessibilityFindings(page);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await accessibilityFindings(page);
    await page.setViewportSize({ width: 360, height: 740 });
    const narrow = await accessibilityFindings(page);
    const width = await page.evaluate<number>(
      "Math.max(...['html', '.scroller'].map((name) => document.querySelector(name).scrollWidth))",
    );

    expect({ welcome, working, light, dark, narrow }).toEqual({
      welcome: [],
      working: [],
      light: [],
      dark: [],
      narrow: [],
    });
    expect(width).toBeLessThanOrEqual(360);
    expect(await page.getByRole("status").innerText()).toBe("Approval needed: book");
  });
}
