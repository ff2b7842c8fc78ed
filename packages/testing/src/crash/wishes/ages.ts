/** Client actions on sessions of one id: it deletes one, so that the next send creates another, and tries its old handle. */
import type { Session } from "@capstan/core";
import type { Wish } from "../persist.ts";
import { codeOf } from "../persist.ts";
import type { ClientAction } from "../scenario.ts";
import { sessionId } from "../world.ts";
import type { World } from "../world.ts";

type DeleteAction = Extract<ClientAction, { readonly do: "delete" }>;
type OldHandleAction = Extract<ClientAction, { readonly do: "use-old-handle" }>;

/** An unacknowledged delete is repeated only if the session still exists: it would otherwise delete the next one. */
export function toDelete(world: World, action: DeleteAction): Wish {
  return {
    on: action.on,
    what: "delete",
    isOver: () => world.isOver(action),
    try: async (host) => {
      const target = world.find(undefined, action.age);
      await target?.look();
      if (target === undefined || target.stored.length === 0) return "again";
      await host.delete(target.id);
      return "done";
    },
  };
}

/** Runs once, on the host that has the handle: a killed host has nothing left of the old session. */
export function toUseOldHandle(world: World, action: OldHandleAction): Wish {
  const { on, text, age = 1 } = action;
  return {
    on,
    what: "the calls of an old handle",
    try: async (host) => {
      await world.main.look();
      // There must be another session that the handle could affect.
      if (world.main.age <= age || world.main.stored.length === 0) {
        return isOneToCome(world, age) ? "again" : "done";
      }
      const old = host.kept;
      if (old === undefined || old.incarnation === world.main.incarnation) return "done";
      for (const [name, call] of callsOf(old, text)) {
        const code = await codeFrom(call);
        if (host.life.isDead) return "done";
        if (code === "not_found" || code === "host_closed" || code === "unavailable") continue;
        world.violations.add("incarnation", `${name} of an old handle of ${sessionId}: ${code}`);
      }
      return "done";
    },
  };
}

function isOneToCome({ scenario, main }: World, age: number): boolean {
  return main.age <= age
    ? scenario.actions.some((action) => action.do === "delete")
    : scenario.actions.some((action) => action.do === "send" && action.age === main.age);
}

function callsOf(session: Session, text: string): readonly [string, () => Promise<unknown>][] {
  return [
    ["followUp", () => session.followUp(text, { id: "old-f" })],
    ["steer", () => session.steer(text, { id: "old-q" })],
    ["configure", () => session.configure({ title: text })],
    ["read", () => session.read()],
    ["send", () => session.send(text, { id: "old-t" }).response],
    ["waitForIdle", () => session.waitForIdle()],
  ];
}

async function codeFrom(call: () => Promise<unknown>): Promise<string> {
  try {
    const given = await call();
    const { error } = (given ?? {}) as { readonly error?: { readonly code?: string } };
    return error?.code ?? "done";
  } catch (thrown) {
    return codeOf(thrown) ?? String(thrown);
  }
}
