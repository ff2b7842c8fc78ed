/** Requests that a command line can make. */
import type { FlagSettings } from "../config/load-config.ts";

/** Options of every command that works in a folder. */
export interface FolderRequest {
  /** Path as given, not resolved. */
  readonly cwd: string | undefined;
  readonly flags: FlagSettings;
  readonly isTrusting: boolean;
  readonly isOffline: boolean;
  readonly isJson: boolean;
}

/** The session a turn belongs to. `id` may be a prefix; without an id, the sessions to choose from are listed. */
export type SessionChoice =
  | { readonly type: "new" }
  | { readonly type: "newest"; readonly isFork: boolean }
  | { readonly type: "byId"; readonly id: string | undefined; readonly isFork: boolean };

export interface TurnRequest extends FolderRequest {
  readonly type: "turn";
  readonly prompt: string | undefined;
  /** True to print the last answer alone on stdout: the prompt was given with -p. */
  readonly isAnswerOnly: boolean;
  /** Files that go along with the prompt, as given. */
  readonly attach: readonly string[];
  /** True to drop an unfinished turn of the session instead of resuming it. */
  readonly isDropping: boolean;
  /** False to keep the session in memory, and to forget it at the end. */
  readonly isStored: boolean;
  readonly session: SessionChoice;
  /** Kind of screen of a conversation. Default: by the environment. */
  readonly screen?: "fullscreen" | "lines";
}

export type ExportFormat = "jsonl" | "markdown";

export type SessionsAction =
  | { readonly verb: "list"; readonly isAll: boolean }
  | { readonly verb: "show"; readonly id: string }
  | {
      readonly verb: "export";
      readonly id: string;
      readonly format: ExportFormat;
      readonly output: string | undefined;
    }
  | { readonly verb: "import"; readonly file: string }
  | { readonly verb: "release" | "abandon"; readonly id: string }
  | { readonly verb: "repair"; readonly id: string }
  | { readonly verb: "delete"; readonly ids: readonly string[] };

export interface SessionsRequest extends FolderRequest {
  readonly type: "sessions";
  readonly action: SessionsAction;
}

export interface ServeRequest extends FolderRequest {
  readonly type: "serve";
  readonly port: number;
  readonly host: string;
}

export interface ModelsRequest extends FolderRequest {
  readonly type: "models";
  /** True to include models without a key. */
  readonly isAll: boolean;
  /** Text that model names must contain; empty for all. */
  readonly filter: string;
}

export interface DoctorRequest extends FolderRequest {
  readonly type: "doctor";
}

interface InitRequest extends FolderRequest {
  readonly type: "init";
}

export type ConfigAction =
  | { readonly verb: "get"; readonly key: string }
  | {
      readonly verb: "set";
      readonly key: string;
      /** JSON, or a text that is taken as it is. */
      readonly value: string;
      readonly role: "user" | "project";
    };

interface ConfigRequest extends FolderRequest {
  readonly type: "config";
  readonly action: ConfigAction;
}

/** Address that `capstan mcp serve --http` listens on. */
export interface McpAddress {
  readonly port: number;
  readonly host: string;
}

export type McpAction =
  | { readonly verb: "list" }
  | {
      readonly verb: "add";
      readonly name: string;
      readonly server:
        | { readonly url: string }
        | { readonly command: string; readonly args: readonly string[] };
      readonly role: "user" | "project";
    }
  | { readonly verb: "serve"; readonly http: McpAddress | undefined }
  | { readonly verb: "test" | "logout"; readonly name: string }
  | { readonly verb: "login"; readonly name: string; readonly opensBrowser: boolean }
  | { readonly verb: "remove"; readonly name: string; readonly role: "user" | "project" }
  | { readonly verb: "import"; readonly file: string; readonly role: "user" | "project" };

export interface McpRequest extends FolderRequest {
  readonly type: "mcp";
  readonly action: McpAction;
}

export type Shell = "bash" | "zsh" | "fish";

export type CommandRequest =
  | TurnRequest
  | InitRequest
  | ConfigRequest
  | McpRequest
  | SessionsRequest
  | ServeRequest
  | ModelsRequest
  | DoctorRequest;

export type CommandName =
  | "sessions"
  | "models"
  | "serve"
  | "doctor"
  | "init"
  | "config"
  | "mcp"
  | "completion";

export type Request =
  | { readonly type: "help"; readonly command: CommandName | undefined }
  | { readonly type: "version" }
  | { readonly type: "completion"; readonly shell: Shell }
  | {
      readonly type: "mistake";
      readonly message: string;
      readonly command?: CommandName | undefined;
    }
  | CommandRequest;
