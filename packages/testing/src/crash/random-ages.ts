/** Random scenarios in which a session is deleted at any moment, and created again under its id. */
import { triggerOf } from "./random-actions.ts";
import type { Random } from "./random.ts";
import type { ClientAction, CrashScenario, CrashTrigger, ScriptedStep } from "./scenario.ts";

/** Adds a second session of the same id to a scenario. All messages and calls name the age of their session. */
export function withSecondAge(
  random: Random,
  scenario: CrashScenario,
  second: readonly ScriptedStep[],
): CrashScenario {
  const { script, hosts = [] } = scenario;
  const on = (): { readonly on?: string } => {
    const host = hosts[random.below(hosts.length + 1)];
    return host === undefined ? {} : { on: host.name };
  };
  const end = triggerOf(random);
  // Not before the end of the first, which may come only at rest: a waiting client is not at rest.
  const start = random.pick<CrashTrigger>([end, "rest"]);
  const later: readonly ClientAction[] = [
    { when: end, do: "delete", ...on() },
    { when: start, age: 2, do: "send", id: "t1", text: "Go in age 2", ...on() },
    { when: "rest", do: "use-old-handle", text: "Late in age 1", ...on() },
    { when: "rest", age: 2, do: "send", id: "t2", text: "On in age 2", ...on() },
  ];
  const first = Object.entries(script).map(([text, steps]) => [`${text} in age 1`, aged(steps, 1)]);
  return {
    ...scenario,
    script: { ...Object.fromEntries(first), "Go in age 2": aged(second, 2) },
    actions: [...scenario.actions.map(named), ...later],
    mayDiffer: "messages to the first session may come before or after its end",
  };
}

function aged(steps: readonly ScriptedStep[], age: number): readonly ScriptedStep[] {
  return steps.map(({ calls = [], ...step }) => ({
    ...step,
    calls: calls.map((call) => ({ ...call, age })),
  }));
}

function named(action: ClientAction): ClientAction {
  return "text" in action ? { ...action, text: `${action.text} in age 1` } : action;
}
