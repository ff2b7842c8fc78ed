import { agentTool, createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, reply, say, scriptedProvider } from "@capstan/testing";

const reader = createAgent({
  name: "reader",
  model: scriptedProvider([say("It is a novel."), say("It has 300 pages.")]),
});
const librarian = createAgent({
  name: "librarian",
  model: scriptedProvider([
    reply(
      callTool("reader", { task: "What is it?" }),
      callTool("reader", { task: "How long is it?" }),
    ),
    say("A novel of 300 pages."),
  ]),
  tools: [agentTool(reader, { description: "Reads a book" })],
});
const repository = memoryRepository();
const host = createHost({ agents: [librarian], repository });
const session = host.createSession({ agent: "librarian" });

// One stream for the session and all sessions below it. Each event names its session.
const ended = new Set<string>();
let cursor = "";
const stop = session.subscribe(
  (event, _, tree) => {
    if (event.type === "turn_end") ended.add(event.sessionId);
    // The position in the whole tree, as text: store it to continue here later.
    cursor = tree.cursor;
  },
  { tree: true },
);
const { text } = await session.send("What is on my desk?").response;
await session.waitForIdle();
stop();
console.log(ended.size, text); // → 3 A novel of 300 pages.

// Another process continues after the cursor: nothing is missing, and nothing comes twice.
const elsewhere = createHost({ agents: [librarian], repository });
const again = await elsewhere.open(session.id);
again.subscribe((event) => console.log(event.type), { tree: true, after: cursor });
await again.flush();
console.log(session.children.map(({ agent, state }) => `${agent} ${state}`)); // → [ 'reader ended', 'reader ended' ]
await elsewhere.close();
await host.close();
