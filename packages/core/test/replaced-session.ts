/** Hosts that share one store, in which a session is deleted and begun again: what each may do, and what must hold afterwards. */
import type { Host, Session } from "@capstan/core";
import { SessionError, createAgent, createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { manualClock, say, scriptedProvider } from "@capstan/testing";

/** No call may ask the store more often than that: one that goes round for ever would. */
const maxCalls = 60;

const id = "chat";

type Action = "delete" | "begin" | "read" | "send" | "follow" | "take over";

export interface Step {
  readonly host: number;
  readonly action: Action;
}

const actions: readonly Action[] = ["delete", "begin", "read", "send", "follow", "take over"];

/** All orders of so many steps by so many hosts, of which the first deletes the session. */
export function ordersOf(length: number, hosts: number): Step[][] {
  const all = Array.from({ length: hosts }, (_, host) => host);
  const steps = all.flatMap((host) => actions.map((action) => ({ host, action })));
  let orders = all.map((host): Step[] => [{ host, action: "delete" }]);
  for (let i = 1; i < length; i += 1) {
    orders = orders.flatMap((order) => steps.map((step) => [...order, step]));
  }
  return orders;
}

/** Fails a call that asks the store without an end. */
function counted(store: SessionRepository, count: { calls: number }): SessionRepository {
  const methods = Object.entries(store).map(([name, method]: [string, unknown]) => {
    if (typeof method !== "function" || name === "subscribe") return [name, method];
    const call = (...args: unknown[]): unknown => {
      count.calls += 1;
      if (count.calls > maxCalls) throw new Error(`more than ${maxCalls} calls of the store`);
      return Reflect.apply(method, store, args);
    };
    return [name, call];
  });
  return Object.fromEntries(methods) as SessionRepository;
}

interface Life {
  readonly host: Host;
  session: Session | undefined;
}

/** What went wrong in this order of steps; nothing, if nothing did. */
export async function faultsOf(
  order: readonly Step[],
  store: SessionRepository,
  clock = manualClock(1_000),
): Promise<readonly string[]> {
  const count = { calls: 0 };
  const repository = counted(store, count);
  const model = scriptedProvider(Array.from({ length: 2 * order.length + 2 }, () => say("Yes")));
  const agent = createAgent({ name: "helper", model, compaction: false });
  const hosts = 1 + Math.max(0, ...order.map(({ host }) => host));
  const lives = Array.from({ length: hosts }, (): Life => {
    const host = createHost({ agents: [agent], repository, clock, leaseMs: 100, pollMs: Infinity });
    return { host, session: undefined };
  });
  const faults: string[] = [];
  let age = 0;

  /** What is said in a session names its age, so that nothing of another one can hide in it. */
  const begin = async (life: Life): Promise<void> => {
    const fresh = life.host.createSession({ agent: "helper", id });
    const { error } = await fresh.send(`age ${age + 1}`).response;
    if (error !== undefined) throw new SessionError(error.code as "exists", error.message);
    age += 1;
    life.session = fresh;
  };
  const strangersIn = (text: string): string[] =>
    [...text.matchAll(/age (\d+)/g)].map(([, n]) => n as string).filter((n) => n !== `${age}`);

  const run = async (life: Life, action: Action): Promise<unknown> => {
    switch (action) {
      case "delete":
        return life.host.delete(id);
      case "begin":
        return begin(life);
      case "read":
        life.session = await life.host.open(id);
        return life.session.read();
      case "send": {
        const known = life.session;
        if (known === undefined) return undefined;
        const [said] = known.messages;
        const text = said?.role === "user" ? JSON.stringify(said.content) : "";
        const { error } = await known.send(`${text} again`).response;
        if (error !== undefined) throw new SessionError(error.code as "exists", error.message);
        return undefined;
      }
      case "follow": {
        const shown: unknown[] = [];
        life.session?.subscribe((event) => shown.push(event), { after: { seq: 0, n: 0 } });
        await clock.advance(0);
        return undefined;
      }
      case "take over":
        await clock.advance(200);
        return life.host.claimDue();
      default:
        return action satisfies never;
    }
  };

  const attempt = async (host: number, action: Action): Promise<void> => {
    const where = `${host} ${action}`;
    count.calls = 0;
    try {
      const life = lives[host] as Life;
      const seen = await run(life, action);
      const strangers = action === "read" ? strangersIn(JSON.stringify(seen)) : [];
      if (strangers.length > 0) faults.push(`${where} showed age ${strangers[0]} in age ${age}`);
    } catch (thrown) {
      const code = thrown instanceof SessionError ? thrown.code : `${thrown as Error}`;
      if (!["not_found", "exists", "host_closed"].includes(code)) faults.push(`${where}: ${code}`);
    }
    await clock.advance(0);
    if (count.calls > maxCalls) faults.push(`${where} asks the store without an end`);
    count.calls = 0;
    const stored = await entriesOf(store);
    const strangers = strangersIn(stored);
    if (strangers.length > 0) faults.push(`${where} wrote age ${strangers[0]} into age ${age}`);
  };

  await attempt(0, "begin");
  for (let host = 1; host < hosts; host += 1) await attempt(host, "read");
  for (const { host, action } of order) await attempt(host, action);
  count.calls = -Infinity;
  await Promise.all(lives.map(({ host }) => host.close()));
  return faults;
}

async function entriesOf(store: SessionRepository): Promise<string> {
  try {
    return JSON.stringify((await store.read(id)).entries);
  } catch {
    // A deleted session has no entries.
    return "";
  }
}
