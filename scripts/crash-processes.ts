// `npm run crash:processes -- --store sqlite --rounds 200`: kills real processes that share a real store, at random times, and checks what is left.
import { parseArgs } from "node:util";
import { prepare } from "./crash-processes/prepare.ts";
import { runCrashes } from "./crash-processes/run.ts";

const help = `npm run crash:processes -- [options]

Kills worker processes with SIGKILL, and stops some past their lease, while clients talk to sessions that any of them may run, and now and then
delete one and begin another under its id.

  --store NAME     sqlite (default), fs, or postgres: the server of DATABASE_URL, or one of its own, which is then killed too, at least once
  --rounds N       how many times something is done to a worker (default 200)
  --workers N      how many processes there are at a time (default 3)
  --sessions N     how many sessions are talked to (default 6)
  --seed S         of the random choices (default 1); what processes do in between is not in its hands
  --help           this text

Exit code: 0 if all is well, 1 if something is wrong, 2 if the arguments are.`;

try {
  process.exitCode = await main();
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : thrown);
  process.exitCode = 2;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      store: { type: "string", default: "sqlite" },
      rounds: { type: "string", default: "200" },
      workers: { type: "string", default: "3" },
      sessions: { type: "string", default: "6" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const rounds = toCount("rounds", values.rounds);
  await using ground = await prepare(values.store);
  const summary = await runCrashes({
    ...ground,
    workers: toCount("workers", values.workers),
    rounds,
    sessions: toCount("sessions", values.sessions),
    seed: toCount("seed", values.seed),
    onRound: (round) => {
      if (round % 20 === 0) console.error(`${round} of ${rounds} rounds`);
    },
  });
  const { turns, effects, kills, freezes, outages, takeovers, deletions, problems } = summary;
  const { whyNoOutage } = ground;
  const done = [
    `${values.store}: ${turns} turns`,
    `${effects} effects`,
    `${kills} kills`,
    `${freezes} stops past the lease`,
    whyNoOutage === undefined
      ? `${outages} kills of the server`
      : `no kill of a server (${whyNoOutage})`,
    ...(values.store === "postgres" ? [`${takeovers} takeovers by dead connection`] : []),
    `${deletions} sessions deleted and begun again`,
    `${problems.length} problems`,
  ];
  console.log(done.join(", "));
  for (const problem of problems) console.log(`- ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

function toCount(name: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`--${name} is a whole number above 0, not "${text}"`);
}
