/** Generates the client's actions for a random scenario: everything, in any order. */
import type { Random } from "./random.ts";
import type {
  ClientAction,
  CrashHost,
  CrashOverrides,
  CrashSettings,
  CrashToolName,
  CrashTrigger,
} from "./scenario.ts";

type On = { readonly on?: string };

export function randomActions(
  random: Random,
  hosts: readonly CrashHost[],
): readonly ClientAction[] {
  const on = (): On => {
    const host = hosts[random.below(hosts.length + 1)];
    return host === undefined ? {} : { on: host.name };
  };
  const options = overridesOf(random);
  const actions: ClientAction[] = [
    { when: "start", do: "send", id: "t1", text: "Go", ...(options && { options }) },
  ];
  if (random.chance(0.4)) {
    actions.push({ when: "rest", do: "send", id: "t2", text: "Again", ...on() });
  }
  const disturbing: readonly ((n: number) => ClientAction)[] = [
    (n) => ({ when: triggerOf(random), do: "steer", id: `q${n}`, text: `Steer ${n}`, ...on() }),
    (n) => ({ when: triggerOf(random), do: "followUp", id: `f${n}`, text: `Then ${n}`, ...on() }),
    () => ({ when: triggerOf(random), do: "abort", ...on() }),
    () => ({
      when: triggerOf(random),
      do: "close",
      drainMs: random.pick([0, 700, 5_000]),
      ...on(),
    }),
    () => ({ when: triggerOf(random), do: "pause", ms: random.pick([500, 4_500]), ...on() }),
    () => ({ when: triggerOf(random), do: "configure", settings: settingsOf(random), ...on() }),
    () => ({ when: triggerOf(random), do: "answer", how: howOf(random), ...on() }),
    () => ({ when: triggerOf(random), do: "abandon", ...on() }),
    (n) => ({
      when: triggerOf(random),
      do: "send",
      id: `s${n}`,
      text: `Instead ${n}`,
      ifPending: "settle",
      ...on(),
    }),
    ...restarting(random, on),
  ];
  for (const [n, make] of [...disturbing, ...disturbing].entries()) {
    if (random.chance(0.12)) actions.push(make(n));
  }
  if (random.chance(0.2)) actions.push(...forkOf(random, on));
  return actions;
}

function restarting(random: Random, on: () => On): readonly ((n: number) => ClientAction)[] {
  if (random.chance(0.5)) {
    return [(n) => ({ when: triggerOf(random), do: "continue", id: `c${n}`, ...on() })];
  }
  return [
    () => ({ when: triggerOf(random), do: "clearHistory", ...on() }),
    () => ({ when: triggerOf(random), do: "loadHistory", ...on() }),
    () => ({ when: triggerOf(random), do: "reset", ...on() }),
  ];
}

function forkOf(random: Random, on: () => On): readonly ClientAction[] {
  return [
    { when: triggerOf(random), do: "fork", as: "fork", ...on() },
    { when: "rest", do: "continue", session: "fork", id: "c0", ...on() },
    { when: "rest", do: "send", session: "fork", id: "t3", text: "Again", ...on() },
  ];
}

function overridesOf(random: Random): CrashOverrides | undefined {
  if (random.chance(0.7)) return undefined;
  const model = random.pick([undefined, "scripted/other"]);
  return { temperature: 0.5, maxTokens: 99, ...(model && { model }) };
}

function settingsOf(random: Random): CrashSettings {
  return {
    ...(random.chance(0.5) && { instructions: random.pick(["Be long.", "Be brief."]) }),
    ...(random.chance(0.5) && { thinkingLevel: random.pick(["low", "high"]) }),
    ...(random.chance(0.5) && {
      tools: random.pick<readonly CrashToolName[]>([["pure", "once"], ["remote", "lent"], []]),
    }),
  };
}

function howOf(random: Random): "right" | "wrong" | "forged" {
  return random.pick(["right", "wrong", "forged"]);
}

export function triggerOf(random: Random): CrashTrigger {
  const event = random.pick([
    "tool_execution_start",
    "text_delta",
    "attempt_start",
    "message_end",
    "tool_execution_end",
    "step_end",
    "turn_end",
    "awaiting_tool_execution",
  ]);
  return random.pick<CrashTrigger>([
    { event, nth: 1 + random.below(3) },
    { event, nth: 1 },
    { afterMs: random.below(2_000) },
    "rest",
  ]);
}
