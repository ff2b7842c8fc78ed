/**
 * The turn that every runtime runs: the model looks twice and answers. Only how it is stored differs. A worker gets
 * `{ where, ms }` as its argument, warms up, and sends how many turns it ran and how much CPU time it took.
 */

export const sessionsAtOnce = 50;
const warmUpMs = 2_000;

export const order = JSON.parse(process.argv[2] ?? "{}");

const answer = "At 7.15.";

/** What the model says in a step: a call in the first two, an answer in the third. */
export function reply(step) {
  return step < 3 ? { call: { id: `call-${step}`, name: "look", input: {} } } : { text: answer };
}

export function look() {
  return "The train to Oslo leaves at 7.15.";
}

/** Runs turns of 50 sessions at once. `run(session)` runs one, and gives the text of its answer. */
export async function measure(run) {
  const turnsFor = async (ms) => {
    let turns = 0;
    const until = performance.now() + ms;
    const work = async (session) => {
      while (performance.now() < until) {
        const text = await run(session);
        if (text !== answer) throw new Error(`A turn answered ${JSON.stringify(text)}`);
        turns += 1;
      }
    };
    await Promise.all(
      Array.from({ length: sessionsAtOnce }, (_, i) => work(`${process.pid}-${i}`)),
    );
    return turns;
  };
  await turnsFor(warmUpMs);
  await new Promise((resolve) => {
    process.once("message", resolve);
    process.send("warm");
  });
  const from = process.cpuUsage();
  const at = performance.now();
  const turns = await turnsFor(order.ms);
  const { user, system } = process.cpuUsage(from);
  process.send(
    { turns, seconds: (performance.now() - at) / 1_000, cpuMs: (user + system) / 1_000 },
    () => process.exit(0),
  );
}
