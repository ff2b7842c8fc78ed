/** Where the frames of a stream go: one for the web's streams, one for a socket of Node. */

export interface FrameSink {
  /** Takes it in any case. False: the other side is slower than we are, and `onDrain` tells when it has caught up. */
  write(frames: string): boolean;
  /** Closes it behind what was written. */
  end(): void;
  /** Closes it at once: what was not sent is dropped. */
  cut(): void;
}

/** Who writes into a sink. */
export interface FrameSource {
  onDrain(): void;
  /** Nobody listens any more, for whatever reason. Called once. */
  onClose(): void;
}

/** An answer that goes on. */
export interface EventStream {
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, when the headers are on their way. */
  start(sink: FrameSink): FrameSource;
}

/** How much may lie in a sink before it says that it is slow, in characters. */
export const sinkHighWater = 64_000;
