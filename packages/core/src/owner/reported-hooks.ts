/** Hooks whose failures are reported: the model is told that a call was blocked or withheld, the operator hears why. */
import type { ToolDispatchPolicy } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { orElse } from "@capstan/log";

/** The same policy, and the same object if there is no hook in it. `report` gets what a hook throws; the kernel gets it, too. */
export function reportingHooks(
  dispatch: ToolDispatchPolicy,
  report: (thrown: unknown) => void,
): ToolDispatchPolicy {
  const { before, after } = dispatch;
  if (before === undefined && after === undefined) return dispatch;
  const reporting = <T>(call: () => MaybePromise<T>): MaybePromise<T> =>
    orElse(call, (thrown) => {
      report(thrown);
      throw thrown;
    });
  return {
    ...dispatch,
    ...(before && { before: (call) => reporting(() => before.call(dispatch, call)) }),
    ...(after && { after: (call, result) => reporting(() => after.call(dispatch, call, result)) }),
  };
}
