/** Functions of tools, as the kernel calls them and as their authors wrote them. */
import type { ToolExecuteContext } from "@capstan/kernel";
import type { DependencyScope } from "./dependency-scope.ts";
import { ScopedContext } from "./tool-context.ts";
import type { ToolContext } from "./tool-context.ts";
import type { TurnContext } from "./turn-context.ts";

const original: unique symbol = Symbol("original");

type Written<Argument, Result> = (argument: Argument, context: ToolContext) => Result;
type Called<Argument, Result> = (argument: Argument, context: ToolExecuteContext) => Result;

interface Scoped<Argument, Result> extends Called<Argument, Result> {
  readonly [original]: Written<Argument, Result>;
}

/** Dependencies and context of the turn that tools are bound to. */
export interface Binding {
  readonly scope: DependencyScope;
  readonly context: TurnContext | undefined;
}

/**
 * The kernel can call the result directly, but without dependencies. The original is stored on the function and not on the tool, so that `{
 * ...tool, execute: mine }` does what it looks like.
 */
export function toScoped<Argument, Result>(
  written: Written<Argument, Result>,
): Called<Argument, Result> {
  return Object.assign(within(written, undefined), { [original]: written });
}

/** Returns the function with the dependencies of a scope; a function not made here is returned unchanged. */
export function inScope<Argument, Result>(
  called: Called<Argument, Result>,
  binding: Binding,
): Called<Argument, Result> {
  return isScoped(called) ? within(called[original], binding) : called;
}

/** Returns the function with a check before it, which keeps its dependencies. */
export function checkedFirst<Argument, Result, Refusal>(
  called: Called<Argument, Result>,
  check: (argument: Argument, sessionId: string) => Refusal | undefined,
): Called<Argument, Result | Refusal> {
  if (isScoped(called)) {
    const written = called[original];
    return toScoped((argument, context) => {
      const refusal = check(argument, context.sessionId);
      return refusal === undefined ? written(argument, context) : refusal;
    });
  }
  return (argument, context) => {
    const refusal = check(argument, context.conversationId);
    return refusal === undefined ? called(argument, context) : refusal;
  };
}

function within<Argument, Result>(
  written: Written<Argument, Result>,
  binding: Binding | undefined,
): Called<Argument, Result> {
  return (argument, context) => written(argument, new ScopedContext(context, binding));
}

function isScoped<Argument, Result>(
  called: Called<Argument, Result>,
): called is Scoped<Argument, Result> {
  return original in called;
}
