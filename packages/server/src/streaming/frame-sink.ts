/** Destination of a stream's frames: one for web streams, one for a Node socket. */

export interface FrameSink {
  /** Always accepts the frames. Returns false if the client is slow; `onDrain` is called once it has caught up. */
  write(frames: string): boolean;
  /** Closes the sink after everything written. */
  end(): void;
  /** Closes the sink at once and drops unsent data. */
  cut(): void;
}

/** Writer of a sink. */
export interface FrameSource {
  onDrain(): void;
  /** Called once when the client is gone, for whatever reason. */
  onClose(): void;
}

/** A streaming response. */
export interface EventStream {
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, when the headers are sent. */
  start(sink: FrameSink): FrameSource;
}

/** Characters in a sink above which it counts as slow. */
export const sinkHighWater = 64_000;
