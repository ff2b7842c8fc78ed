/** `@capstan/client/react`: a session as the state of a React component. */
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ClientError, isRefusal } from "./errors/client-error.ts";
import type { ClientSession } from "./session/client-session.ts";
import type { ClientSessionState } from "./mirror/session-mirror.ts";
import type { ClientChildState } from "./tree/child-views.ts";

/** Functions of the session, the same in every render. */
export interface SessionActions {
  readonly send: ClientSession["send"];
  readonly steer: ClientSession["steer"];
  readonly followUp: ClientSession["followUp"];
  readonly approve: ClientSession["approve"];
  readonly deny: ClientSession["deny"];
  readonly rewind: ClientSession["rewind"];
  /** Stops the running turn, wherever it runs. Resolves with false if there is none. */
  stop(reason?: string): Promise<boolean>;
}

/** State of a session for a component, with the actions of the session. */
export interface SessionView extends SessionActions {
  /** State of the session: one object until something changes. */
  readonly state: ClientSessionState;
  /** True until the server has told the state for the first time. */
  readonly isLoading: boolean;
  /** Set while the session cannot be followed. */
  readonly error: ClientError | undefined;
  /** With `tree`: child sessions at work since the component was mounted. One list until something changes. */
  readonly children: readonly ClientChildState[];
}

/** Options of `useSession`. */
export interface UseSessionOptions {
  /**
   * State that a server has rendered, as JSON: shown until the session is loaded. The server reads it with `session.refresh()` and renders with the
   * same option, so that the page finds what it expects.
   */
  readonly initialState?: ClientSessionState | undefined;
  /** Follows child sessions, too, at any depth. Default false. */
  readonly tree?: boolean | undefined;
}

/**
 * Follows a session while the component is mounted, and runs the calls of tools that it lends. Components that share a session share its
 * connection. The session must be the same object in every render: create it outside, or with `useMemo`.
 */
export function useSession(
  session: ClientSession,
  { initialState, tree: isTree = false }: UseSessionOptions = {},
): SessionView {
  const [loaded, setLoaded] = useState<ClientSession | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  const subscribe = useCallback(
    (onChange: () => void) => {
      const listener = (): void => {
        setFailure(undefined);
        onChange();
      };
      const onError = (error: ClientError): void => setFailure({ session, error });
      return isTree
        ? shareTree(session, listener, onError)
        : session.subscribe(listener, { onError });
    },
    [session, isTree],
  );
  const isLoading = loaded !== session;
  const early = isLoading ? initialState : undefined;
  const read = useCallback(() => early ?? session.state, [session, early]);
  const state = useSyncExternalStore(subscribe, read, read);
  const subscribeChildren = useCallback(
    (onChange: () => void) => (isTree ? shareTree(session, onChange) : nothing),
    [session, isTree],
  );
  const readChildren = useCallback(() => (isTree ? session.children : none), [session, isTree]);
  const children = useSyncExternalStore(subscribeChildren, readChildren, readChildren);
  useEffect(() => {
    let isMounted = true;
    session.refresh().then(
      () => {
        if (isMounted) setLoaded(session);
      },
      (thrown: unknown) => {
        if (!isMounted) return;
        // The first message creates the session.
        if (isRefusal(thrown, "not_found")) setLoaded(session);
        else if (thrown instanceof ClientError) setFailure({ session, error: thrown });
      },
    );
    return () => {
      isMounted = false;
    };
  }, [session]);
  const actions = useMemo(() => actionsOf(session), [session]);
  return {
    ...actions,
    state,
    children,
    isLoading,
    error: failure?.session === session ? failure.error : undefined,
  };
}

const none: readonly ClientChildState[] = [];
const nothing = (): void => {};

interface SharedTree {
  readonly readers: Set<{ onChange(): void; onError?(error: ClientError): void }>;
  stop(): void;
}

/** Streams of trees, by session: components share one. */
const trees = new WeakMap<ClientSession, SharedTree>();

function shareTree(
  session: ClientSession,
  onChange: () => void,
  onError?: (error: ClientError) => void,
): () => void {
  const tree = trees.get(session) ?? openTree(session);
  const reader = { onChange, ...(onError && { onError }) };
  tree.readers.add(reader);
  return () => {
    tree.readers.delete(reader);
    if (tree.readers.size > 0) return;
    tree.stop();
    trees.delete(session);
  };
}

function openTree(session: ClientSession): SharedTree {
  const readers: SharedTree["readers"] = new Set();
  const stop = session.subscribe(() => readers.forEach(({ onChange }) => onChange()), {
    tree: true,
    onError: (error) => readers.forEach((reader) => reader.onError?.(error)),
  });
  const tree = { readers, stop };
  trees.set(session, tree);
  return tree;
}

interface Failure {
  readonly session: ClientSession;
  readonly error: ClientError;
}

function actionsOf(session: ClientSession): SessionActions {
  return {
    send: (input, options) => session.send(input, options),
    steer: (input, options) => session.steer(input, options),
    followUp: (input, options) => session.followUp(input, options),
    approve: (call) => session.approve(call),
    deny: (call, reason) => session.deny(call, reason),
    rewind: (messageId, options) => session.rewind(messageId, options),
    async stop(reason) {
      const turn = await session.current();
      if (turn === undefined) return false;
      return session.abortTurn(turn.id, reason === undefined ? {} : { reason });
    },
  };
}
