/** Behaviour of a page while a reply is written: streaming, tools, approvals, steering. */
import { callTool, reply, say, think, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import type { RunningPages } from "./chat-page.ts";
import { continueWith } from "./chat-page.ts";

export function testReplies(running: RunningPages): void {
  test("streams Markdown, and takes HTML and addresses of scripts for text", async () => {
    const rest = Promise.withResolvers<void>();
    const half = say(
      "# Tides\n\nThe **moon** does it. <img src=x onerror=alert(1)> [x](javascript",
    );
    const other =
      ":alert%281%29) [y](https://example.com/)\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |";
    const chat = await running.pages.open([reply(half, wait(rest.promise), continueWith(other))]);

    await chat.say("Why are there tides?");
    await chat.replies.getByRole("heading", { name: "Tides" }).waitFor();
    const busy = await chat.replies.getAttribute("aria-busy");
    const early = await chat.replies.locator("li").count();
    rest.resolve();
    await chat.replies.getByRole("cell", { name: "2" }).waitFor();
    await chat.rest("two");

    expect([busy, early]).toEqual(["true", 0]);
    expect(await chat.replies.getAttribute("aria-busy")).toBe("false");
    expect(await chat.replies.locator("strong").allInnerTexts()).toEqual(["moon"]);
    expect(await chat.replies.locator("li").allInnerTexts()).toEqual(["one", "two"]);
    expect(await chat.replies.locator("img").count()).toBe(0);
    expect(await chat.replies.innerText()).toContain("<img src=x onerror=alert(1)>");
    expect(await chat.replies.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await chat.replies.locator('a[href="https://example.com/"]').count()).toBe(1);
  });

  test("folds a tool call, and shows its input and its output while it runs", async () => {
    const before = running.pages.work.started.length;
    const chat = await running.pages.open([
      reply(think("Hm"), callTool("work", { n: 1 })),
      say("Done it"),
    ]);

    await chat.say("Work");
    const call = (await running.pages.work.whenStarted(before + 1)).at(-1);
    const tool = chat.replies.locator("details.tool");
    await tool.getByText("running").waitFor();
    const folded = await chat.replies.getByLabel("Input of work").isVisible();
    await tool.locator("summary").focus();
    await chat.page.keyboard.press("Enter");
    await chat.replies.getByLabel("Input of work").getByText('"n": 1').waitFor();
    call?.context.update("half of it");
    await chat.replies.getByLabel("Output of work").getByText("half of it").waitFor();
    running.pages.work.resolve(call?.toolCallId ?? "", "all of it");
    await chat.rest("Done it");

    expect(folded).toBe(false);
    expect(await tool.locator("summary").innerText()).toContain("done");
    expect(await chat.replies.getByLabel("Output of work").innerText()).toBe("all of it");
    await chat.replies.getByText("Thoughts").click();
    await chat.replies.getByText("Hm").waitFor();
  });

  test("runs a call after its approval, with the input that was shown", async () => {
    const before = running.pages.book.started.length;
    const chat = await running.pages.open([callTool("book", { people: 4 }), say("Booked")]);

    await chat.say("A table for four");
    await chat.approval.waitFor();
    const shown = await chat.approval.getByLabel("Input of book").innerText();
    const early = running.pages.book.started.length;
    await chat.button("Approve").focus();
    await chat.page.keyboard.press("Enter");
    await chat.rest("Booked");

    expect(early).toBe(before);
    expect(JSON.parse(shown)).toEqual({ people: 4 });
    expect(running.pages.book.started.slice(before).map(({ input }) => input)).toEqual([
      { people: 4 },
    ]);
    expect(await chat.approval.count()).toBe(0);
    // The button is gone; the keyboard goes on in the field.
    expect(await chat.page.evaluate("document.activeElement.id")).toBe("message");
  });

  test("denies a call with a reason, which the model gets", async () => {
    const before = running.pages.book.started.length;
    const chat = await running.pages.open([callTool("book", { people: 4 }), say("Then not")]);

    await chat.say("A table for four");
    await chat.approval.getByLabel(/^Reason/).fill("Too late in the evening");
    await chat.button("Deny").click();
    await chat.rest("Then not");

    expect(running.pages.book.started).toHaveLength(before);
    expect(JSON.stringify(chat.provider.requests[1]?.messages)).toContain(
      "Too late in the evening",
    );
    expect(await chat.replies.locator("details.tool summary").innerText()).toContain("denied");
  });

  test("takes a message instead of a decision", async () => {
    const before = running.pages.book.started.length;
    const chat = await running.pages.open([callTool("book", { people: 4 }), say("For five then")]);

    await chat.say("A table for four");
    await chat.approval.waitFor();
    await chat.say("No, we are five");
    await chat.rest("For five then");

    expect(running.pages.book.started).toHaveLength(before);
    expect(await chat.button("Approve").count()).toBe(0);
  });

  test("adds a message to the reply that is being written", async () => {
    const before = running.pages.work.started.length;
    const chat = await running.pages.open([callTool("work", {}), say("Short ones")]);

    await chat.say("Find books");
    const call = (await running.pages.work.whenStarted(before + 1)).at(-1);
    await chat.button("Stop").waitFor();
    await chat.say("Only short ones");
    await chat.log.getByText("Waits for the next step").waitFor();
    running.pages.work.resolve(call?.toolCallId ?? "", "found");
    await chat.rest("Short ones");
    await chat.log.getByText("Sent while it worked").waitFor();

    const asked = chat.provider.requests.map(({ messages }) => messages.at(-1));
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[1])).toContain("Only short ones");
    const order = await chat.log.getByRole("article").allInnerTexts();
    expect(order.map((text) => text.split("\n")[0])).toEqual([
      "Find books",
      "work",
      "Only short ones",
      "Short ones",
    ]);
  });

  test("answers a message that came with the last words of a reply", async () => {
    const rest = Promise.withResolvers<void>();
    const counting = reply(say("One, "), wait(rest.promise), continueWith("two"));
    const chat = await running.pages.open([counting, say("Three")]);

    await chat.say("Count to two");
    await chat.replies.getByText("One,").waitFor();
    await chat.say("And on");
    await chat.log.getByText("Waits for the next step").waitFor();
    rest.resolve();
    await chat.rest("Three");

    expect(await chat.log.getByText("And on").count()).toBe(1);
    expect(await chat.log.getByText("Waits for the next step").count()).toBe(0);
  });

  test("runs its own tool, and the model gets the answer", async () => {
    const chat = await running.pages.open([callTool("local_time", {}), say("It is late")]);
    const zone = await chat.page.evaluate<string>(
      "Intl.DateTimeFormat().resolvedOptions().timeZone",
    );

    await chat.say("What time is it?");
    await chat.rest("It is late");

    expect(JSON.stringify(chat.provider.requests[1]?.messages.at(-1))).toContain(zone);
    expect(await chat.replies.locator("details.tool summary").innerText()).toContain("done");
  });
}
