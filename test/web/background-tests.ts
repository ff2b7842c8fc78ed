/** A page while an agent works in the background: its approvals come between two replies. */
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { RunningPages } from "./chat-page.ts";

const ask = callTool("researcher", { task: "Find a museum" });

export function testBackground(running: RunningPages): void {
  test("asks for an agent in the background between two replies, and shows the reply to its answer", async () => {
    const { book } = running.pages;
    const before = book.started.length;
    const script = [ask, say("Someone looks that up."), say("A museum is booked.")];
    const chat = await running.pages.open(script);
    await chat.say("Find a museum");
    await chat.log.getByText("Someone looks that up.").waitFor();

    await chat.approval.waitFor();
    const asked = await chat.approval.innerText();
    await chat.button("Approve").click();
    await chat.rest("A museum is booked.");

    expect(asked).toContain("Allow book for researcher?");
    expect(asked).toContain("a museum");
    expect(book.started).toHaveLength(before + 1);
    expect(await chat.approval.count()).toBe(0);
  });

  test("goes on talking while an agent in the background waits, and asks again after a reload", async () => {
    const { book } = running.pages;
    const before = book.started.length;
    const script = [ask, say("Someone looks that up."), say("Hello!"), say("It was not booked.")];
    const chat = await running.pages.open(script);
    await chat.say("Find a museum");
    await chat.approval.waitFor();

    await chat.say("Hello");
    await chat.rest("Hello!");
    await chat.page.reload();
    await chat.approval.waitFor();
    await chat.button("Deny").click();
    await chat.rest("It was not booked.");

    expect(book.started).toHaveLength(before);
  });
}
