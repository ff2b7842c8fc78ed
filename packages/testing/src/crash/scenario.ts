/** What a crash scenario says, as plain JSON: what the model does, what the client does and when, and which hosts there are. */
import type { AgentEvent, ThinkingLevel } from "@capstan/kernel";

/**
 * What the tools of every scenario declare. `pure`, `idempotent`, `once` (at most once) and `checked` (at most once, and can be asked
 * what became of a call) may run in parallel, `alone` runs by itself. `guarded` needs an approval, `hurried` as well, within two
 * seconds. `remote` is run by the client; `ignored` too, but nobody ever answers it, and after two seconds nobody may. `lent` is like
 * `remote`, and the agent does not have it: sessions are given it by `configure`. `long` is `pure`, and gives more than a model is shown;
 * `read_output` is the session's own.
 */
export type CrashToolName =
  | "pure"
  | "idempotent"
  | "once"
  | "checked"
  | "alone"
  | "guarded"
  | "hurried"
  | "remote"
  | "ignored"
  | "lent"
  | "long"
  | "read_output";

/** What `configure` changes. */
export interface CrashSettings {
  readonly instructions?: string;
  readonly tools?: readonly CrashToolName[];
  readonly thinkingLevel?: ThinkingLevel;
}

/** What one turn differs in. The model of every agent is `scripted`; there is another one. */
export interface CrashOverrides {
  readonly model?: "scripted/other";
  readonly thinkingLevel?: ThinkingLevel;
  readonly temperature?: number;
  readonly maxTokens?: number;
}

export interface ScriptedCall {
  readonly tool: CrashToolName;
  /** How long it takes. Default 0. */
  readonly ms?: number;
  /** It has its effect, and then fails. */
  readonly fails?: boolean;
  /** Of the session that it belongs to, if there are several of one id. */
  readonly age?: number;
  /** The call whose output `read_output` reads. */
  readonly reference?: string;
}

export interface ScriptedStep {
  /** `{process}` stands for the name of the process that asks, where it matters who was told what. Empty: it says nothing. */
  readonly say?: string;
  readonly calls?: readonly ScriptedCall[];
  /** So many attempts fail before one succeeds. */
  readonly failures?: number;
  /** The attempt that counts fails as well, for good, after it has said its text: always, or in the turn of this id. */
  readonly isBroken?: boolean | string;
  /** How long the model takes, in the middle of its text. Default 0. */
  readonly ms?: number;
}

/** `nth` counts events of a type as the client sees them, from 1 on. An action whose event never came is done at rest. */
export type CrashTrigger =
  | "start"
  | "rest"
  | { readonly event: AgentEvent["type"]; readonly nth?: number }
  | { readonly afterMs: number };

export type ClientAction = {
  readonly when: CrashTrigger;
  /** The host that the client turns to, or that something happens to. Default the first. */
  readonly on?: string;
  /** The fork that it is about, by its name. Default the session that the run is about. */
  readonly session?: string;
  /** Which session of the id it is about, counted from 1: each delete ends one. Default 1. */
  readonly age?: number;
} & (
  | {
      readonly do: "send";
      readonly id: string;
      readonly text: string;
      readonly options?: CrashOverrides;
    }
  | { readonly do: "continue"; readonly id: string; readonly options?: CrashOverrides }
  | { readonly do: "steer" | "followUp"; readonly id: string; readonly text: string }
  | { readonly do: "abort"; readonly reason?: string }
  | { readonly do: "compact"; readonly id: string; readonly directives?: string }
  | AnswerAction
  | { readonly do: "configure"; readonly settings: CrashSettings }
  /** What is loaded is a short past of its own. */
  | { readonly do: "clearHistory" | "loadHistory" | "reset" }
  /** At the message of this place, as the client sees it, or at the end. What is made is known by the name from then on. */
  | { readonly do: "fork"; readonly as: string; readonly at?: number }
  /** The next send begins another session under the same id. */
  | { readonly do: "delete" }
  /** Every call of a handle that the host has kept of a session that is another one by now: all are refused. */
  | { readonly do: "use-old-handle"; readonly text: string }
  /** The host hands over what it has and stops. */
  | { readonly do: "close" }
  /** Nothing of the host goes on for so long. */
  | { readonly do: "pause"; readonly ms: number }
);

/**
 * Answers calls that the client has heard of, whatever became of them: those at these places of their step, from 0 on, or all. `right`
 * is a result or an approval, `wrong` a failure or a denial, `forged` an approval of something else.
 */
export interface AnswerAction {
  readonly do: "answer";
  readonly calls?: readonly number[];
  readonly how: "right" | "wrong" | "forged";
}

/** What another process posts in the middle of things, straight into the store, and is gone. */
export type Interjection =
  | { readonly do: "steer" | "followUp" | "send"; readonly id: string; readonly text: string }
  | { readonly do: "cancel" | "clearHistory" | "loadHistory" }
  | { readonly do: "compact"; readonly id: string }
  /** To the first call that waits for a result. */
  | { readonly do: "answer" }
  | { readonly do: "configure"; readonly settings: CrashSettings };

export interface CrashHost {
  readonly name: string;
  /** Default true. A host that does not look for due sessions only does what its client asks for. */
  readonly polls?: boolean;
}

export interface CrashScenario {
  readonly name: string;
  /** What the model does after a user message with this text, step by step. Then, and for any other text, it says a word. */
  readonly script: Readonly<Record<string, readonly ScriptedStep[]>>;
  readonly actions: readonly ClientAction[];
  /**
   * When the client answers calls that wait: as soon as it hears of them, or after the turn has ended. Default late. `one-by-one` is
   * late, in as many sends as there are calls. `never`: only by its actions.
   */
  readonly answers?: "early" | "late" | "one-by-one" | "never";
  /** Whether the client approves what needs it. Default true. */
  readonly approves?: boolean;
  /** Tokens that the models take, and the last of them that the context keeps when it is compacted. Default 200,000, and none. */
  readonly contextWindow?: number;
  readonly keepRecentSteps?: number;
  /** How a model that is asked for a summary goes about it; what it says is its own. */
  readonly summary?: Omit<ScriptedStep, "say" | "calls">;
  /** Default: the same for everybody. `asked`: the agent is asked for them, and says something else each time. */
  readonly instructions?: "asked";
  /** Default one, named A. */
  readonly hosts?: readonly CrashHost[];
  /** The hosts on which somebody follows the events. Default the first. */
  readonly readers?: readonly string[];
  /** Default 3,000. */
  readonly leaseMs?: number;
  /** Default 1,000. */
  readonly pollMs?: number;
  /** How long a host that died stays away. Default 200. */
  readonly restartMs?: number;
  /** After a crash the client comes back at once, or when everything is at rest. Default at once. */
  readonly returns?: "at once" | "at rest";
  /** What is done at every point, besides a kill. A pause lasts for one and a half leases. */
  readonly alsoAtEveryPoint?: readonly ("pause" | "fail" | "post")[];
  readonly interjection?: Interjection;
  /** Why a run that was disturbed may end otherwise than one that was not, besides calls whose outcome is unknown. */
  readonly mayDiffer?: string;
  /** The same, of its forks only. */
  readonly forksMayDiffer?: string;
}

export const crashDefaults = {
  hosts: [{ name: "A" }],
  leaseMs: 3_000,
  pollMs: 1_000,
  restartMs: 200,
} as const;
