/** Hooks whose failures are reported: the model learns that a call was blocked or withheld, the operator why. */
import type { ToolDispatchPolicy } from "@capstan/kernel";
import type { MaybePromise } from "@capstan/log";
import { orElse } from "@capstan/log";

/** Returns an equivalent policy, or the same object if it has no hooks. `report` receives errors of hooks; the kernel gets them, too. */
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
