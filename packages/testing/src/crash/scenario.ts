/** A crash scenario as plain JSON: the model's script, the client's actions and their triggers, and the hosts. */
import type { JsonValue, ThinkingLevel } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";

/**
 * Tools of every scenario. `pure`, `idempotent`, `once` (at most once) and `checked` (at most once, with reconciliation) may run in
 * parallel, `alone` runs by itself. `guarded` needs an approval, and so does `hurried`, within two seconds. The client runs `remote`, and
 * `ignored` too, but never answers it, and its deadline is two seconds. `lent` is like `remote`, but not a tool of the agent: sessions get
 * it by `configure`. `asking` is `pure`, records who is asking, and needs an approval for the tenant `careful`; only scenarios with `asking`
 * have it. `child` is an agent, and `grandchild` is one of its tools; `background` starts the same agents in the background, and
 * `child_stop` stops the last of them; `hand_over` gives the conversation to `child`; only scenarios with `children` have them. `calling` is
 * `idempotent`, and calls `once`, then `idempotent` and `guarded` side by side. `suspending` (at most once) first suspends itself with a question
 * to the client, and has its effect after a right answer. `form` and `task` (at most once) call an MCP server: `form` suspends itself with its
 * form and has its effect with the answer, `task` has it at once, is polled, and asks a question. `long` is `pure`, and returns more than a model is shown; `read_output` is the
 * session's own tool. `picture` is `pure`, and returns an image, which models reject.
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
  | "asking"
  | "suspending"
  | "form"
  | "task"
  | "calling"
  | "child"
  | "grandchild"
  | "background"
  | "child_stop"
  | "hand_over"
  | "long"
  | "picture"
  | "read_output";

/** Settings that `configure` changes. */
export interface CrashSettings {
  readonly instructions?: string;
  readonly tools?: readonly CrashToolName[];
  readonly thinkingLevel?: ThinkingLevel;
  readonly metadata?: JsonValue;
}

/** Identity of the caller, for one turn: the app context, if it is not the session's, and the metadata. */
export interface CrashAsking {
  readonly app?: { readonly tenant: string };
  readonly metadata?: JsonValue;
}

/** Options of a single turn. The model of every agent is `scripted`; there is another one. */
export interface CrashOverrides {
  readonly model?: "scripted/other";
  readonly thinkingLevel?: ThinkingLevel;
  readonly temperature?: number;
  readonly maxTokens?: number;
}

/** Tool call of a scripted step. */
export interface ScriptedCall {
  readonly tool: CrashToolName;
  /** Duration. Default 0. */
  readonly ms?: number;
  /** True if it fails after its effect. */
  readonly fails?: boolean;
  /** Age of its session, if there are several of one id. */
  readonly age?: number;
  /** Call whose output `read_output` reads. */
  readonly reference?: string;
  /** Task of a child: the text of the user message that its script is found by. */
  readonly task?: string;
}

/** Reply of the scripted model in a scenario. */
export interface ScriptedStep {
  /** `{process}` stands for the name of the process that makes the request, to tell replies apart. Empty: no text. */
  readonly say?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Number of attempts that fail before one succeeds. */
  readonly failures?: number;
  /** True, or the id of a turn, if the last attempt fails permanently as well, after its text. */
  readonly isBroken?: boolean | string;
  /** Delay in the middle of the model's text. Default 0. */
  readonly ms?: number;
}

/** `nth` counts events of a type as the client sees them, from 1. If the event never comes, the action runs at rest. */
export type CrashTrigger =
  | "start"
  | "rest"
  | { readonly event: SessionEvent["type"]; readonly nth?: number }
  | { readonly afterMs: number };

/** Action of a client in a scenario, and when it happens. */
export type ClientAction = {
  readonly when: CrashTrigger;
  /** Host that the client connects to, or that the action affects. Default the first. */
  readonly on?: string;
  /** Name of the target fork. Default the main session of the run. */
  readonly session?: string;
  /** Which session of the id is the target, counted from 1: each delete ends one. Default 1. */
  readonly age?: number;
} & (
  | {
      readonly do: "send";
      readonly id: string;
      readonly text: string;
      readonly options?: CrashOverrides;
      readonly asking?: CrashAsking;
      /** Settles the calls that wait for an answer. Default: the message is refused then. */
      readonly ifPending?: "settle";
    }
  | { readonly do: "continue"; readonly id: string; readonly options?: CrashOverrides }
  | {
      readonly do: "steer" | "followUp";
      readonly id: string;
      readonly text: string;
      readonly asking?: CrashAsking;
    }
  | { readonly do: "abort" | "abandon"; readonly reason?: string }
  | { readonly do: "compact"; readonly id: string; readonly directives?: string }
  | AnswerAction
  /** Claims the calls known to the client that it runs itself. */
  | { readonly do: "claim"; readonly by: string }
  | { readonly do: "configure"; readonly settings: CrashSettings }
  /** Loads a short history. */
  | { readonly do: "clearHistory" | "loadHistory" | "reset" }
  /** Rewinds to this message, or before it. */
  | { readonly do: "rewind"; readonly id: string; readonly to: string; readonly before?: boolean }
  /** Forks at the message with this index, as the client sees it, or at the end. Later actions refer to the fork by this name. */
  | { readonly do: "fork"; readonly as: string; readonly at?: number }
  /** The next send creates another session under the same id. */
  | { readonly do: "delete" }
  /** Makes every call on a handle that the host kept of a replaced session: all must be refused. */
  | { readonly do: "use-old-handle"; readonly text: string }
  /** The host hands over its sessions and stops. With `drainMs` calls in progress may end first. */
  | { readonly do: "close"; readonly drainMs?: number }
  /** The host stands still for this time. */
  | { readonly do: "pause"; readonly ms: number }
);

/**
 * Answers calls known to the client, whatever their state: those with these indexes in their step, from 0, or all. `right` is a result or
 * an approval, `wrong` a failure or a denial, `forged` an approval of something else.
 */
export interface AnswerAction {
  readonly do: "answer";
  readonly calls?: readonly number[];
  readonly how: "right" | "wrong" | "forged";
}

/** Post by another process at any moment, directly into the store; the process then ends. */
export type Interjection =
  | { readonly do: "steer" | "followUp" | "send"; readonly id: string; readonly text: string }
  | { readonly do: "cancel" | "clearHistory" | "loadHistory" }
  | { readonly do: "compact"; readonly id: string }
  | { readonly do: "rewind"; readonly to: string }
  /** Answers the first call that waits for a result. */
  | { readonly do: "answer" }
  | { readonly do: "configure"; readonly settings: CrashSettings };

/** A host of a scenario. */
export interface CrashHost {
  readonly name: string;
  /** Default true. A host that does not poll for due sessions only serves its client. */
  readonly polls?: boolean;
}

/** A conversation with its script, its clients and its hosts. */
export interface CrashScenario {
  readonly name: string;
  /** Model replies to a user message with this text, step by step. Afterwards, and for any other text, it says a word. */
  readonly script: Readonly<Record<string, readonly ScriptedStep[]>>;
  readonly actions: readonly ClientAction[];
  /**
   * When the client answers pending calls: as soon as it hears of them, or after the turn has ended. Default late. `one-by-one` is late,
   * with one send per call. `never`: only by its actions.
   */
  readonly answers?: "early" | "late" | "one-by-one" | "never";
  /** Whether the client approves calls. Default true. */
  readonly approves?: boolean;
  /** Context window of the models, and number of recent steps kept by a compaction. Default 200,000, and none. */
  readonly contextWindow?: number;
  readonly keepRecentSteps?: number;
  /** How a model behaves when asked for a summary; its text is fixed. */
  readonly summary?: Omit<ScriptedStep, "say" | "calls">;
  /** Default: fixed. `asked`: the agent is asked for them, and returns something else each time. */
  readonly instructions?: "asked";
  /** Identity that the session is created with. The agent then has an app context, and its user code records what it sees. */
  readonly asking?: Required<CrashAsking> & { readonly principal: string };
  /** `prepared`: the agent prepares each step, in another way each time it is asked, and appends a note before it. */
  readonly steps?: "prepared";
  /** `on`: the agent has guards, which reject messages and replies with the word "Forbidden". */
  readonly guards?: "on";
  /** `on`: the agent has another agent as a tool, which has one, too. All have the same model and tools. */
  readonly children?: "on";
  /** Budget of the agent, in tokens, for each chain of turns. Its children get slices of it. */
  readonly budget?: number;
  /** `at open`: hosts open or create the session in one call, and it is stored before its first message. Default: with its first message. */
  readonly creates?: "at open";
  /** Default one, named A. */
  readonly hosts?: readonly CrashHost[];
  /** Hosts on which readers follow the events. Default the first. */
  readonly readers?: readonly string[];
  /** Default 3,000. */
  readonly leaseMs?: number;
  /** Default 1,000. */
  readonly pollMs?: number;
  /** How long a dead host stays away. Default 200. */
  readonly restartMs?: number;
  /** Whether the client reconnects at once after a crash, or when everything is at rest. Default at once. */
  readonly returns?: "at once" | "at rest";
  /** Faults tried at every point, besides a kill. A pause lasts for one and a half leases. */
  readonly alsoAtEveryPoint?: readonly ("pause" | "fail" | "post")[];
  readonly interjection?: Interjection;
  /** Why a run with faults may end differently, apart from calls with an unknown outcome. */
  readonly mayDiffer?: string;
  /** Why only the forks of such a run may differ. */
  readonly forksMayDiffer?: string;
}

export const crashDefaults = {
  hosts: [{ name: "A" }],
  leaseMs: 3_000,
  pollMs: 1_000,
  restartMs: 200,
} as const;
