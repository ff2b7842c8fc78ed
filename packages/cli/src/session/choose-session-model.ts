/** Chooses a session's model: the one requested now, else the session's own, else the one the command finds. */
import type { ResolveModel } from "@capstan/core";
import type { SessionConfig } from "@capstan/log";
import type { FolderRequest } from "../command-line/request.ts";
import type { Io } from "../process/io.ts";
import type { ChosenModel, ModelSource } from "../model/choose-model.ts";
import { chooseModel, createModelSource } from "../model/choose-model.ts";
import type { Folder } from "./load-folder.ts";

export interface SessionModel {
  readonly chosen: ChosenModel;
  readonly registry: ModelSource["registry"] | undefined;
  readonly resolveModel: ResolveModel;
}

/** Throws a `ModelError`. */
export async function chooseSessionModel(
  io: Pick<Io, "env" | "signal" | "chooseModel">,
  { flags, isOffline }: Pick<FolderRequest, "flags" | "isOffline">,
  { config }: Folder,
  stored: SessionConfig = {},
): Promise<SessionModel> {
  if (io.chooseModel !== undefined) {
    const chosen = io.chooseModel();
    return { chosen, registry: undefined, resolveModel: () => chosen.model };
  }
  const { settings } = config;
  const source = createModelSource(settings, io.env);
  const own = flags.model === undefined && !isOffline ? stored.model : undefined;
  const found = await chooseModel({
    settings: own === undefined ? settings : { ...settings, model: own },
    source,
    isOffline,
    signal: io.signal,
  });
  const chosen = own === undefined ? found : { ...found, reason: "the session uses it" };
  return {
    chosen,
    registry: source.registry,
    // Resolves whatever model an unfinished turn was started with.
    resolveModel: isOffline ? () => chosen.model : source.resolve,
  };
}
