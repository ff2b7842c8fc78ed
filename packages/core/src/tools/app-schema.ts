/** Schema of an application context: the caller's own values about who is asking. */
import type { StandardResult } from "@capstan/kernel";

/** Standard Schema with a synchronous `validate`. `Sent` is the value as callers give it, `App` the one that tools get. */
export interface AppSchema<Sent = unknown, App = Sent> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<App> | Promise<StandardResult<App>>;
    readonly types?: { readonly input: Sent; readonly output: App } | undefined;
  };
}

/** Whether a caller in JavaScript passed a schema. */
export function isAppSchema(schema: AppSchema): boolean {
  return typeof schema["~standard"]?.validate === "function";
}

/** The field `app` of options: required if the agent has an `appContext`, not allowed if it has none. */
export type AppField<Sent> = undefined extends Sent
  ? { readonly app?: NoInfer<Sent> }
  : { readonly app: NoInfer<Sent> };
