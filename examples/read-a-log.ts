import { EventFeed, foldEntries, formatCursor, memoryRepository } from "@capstan/log";

const repository = memoryRepository();
const envelope = { v: 1, at: Date.now() };
const created = { ...envelope, type: "created", id: "1", agent: "helper" } as const;
repository.create("demo", [created], { status: "idle", agent: "helper", seen: 1, updatedAt: 0 });
const message = { role: "user", id: "m1", content: "Hi" } as const;
repository.post("demo", { ...envelope, type: "input", id: "first", messages: [message] });

const fold = foldEntries(repository.read("demo").entries);
console.log(fold.status, fold.nextAction(Date.now())); // running, and a turn has to start

const [claim] = repository.claimDue({ agents: ["helper"], owner: "me", ttlMs: 30_000 });
if (claim !== undefined) {
  const { lease } = claim;
  const started = { ...envelope, type: "turn_started", turnId: "first", input: ["first"] } as const;
  repository.append("demo", [{ ...started, id: "2" }], { lease, head: fold.head(Date.now()) });
}
for (const { cursor, event } of new EventFeed("demo").takeStored(repository.read("demo").entries)) {
  console.log(formatCursor(cursor), event.type); // 3.1 turn_start, 3.2 message_start, 3.3 message_end
}
