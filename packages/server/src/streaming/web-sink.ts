/** Web streams, for every runtime that has `Response`. */
import type { EventStream, FrameSink, FrameSource } from "./frame-sink.ts";
import { sinkHighWater } from "./frame-sink.ts";

export function toStreamResponse({ headers, start }: EventStream): Response {
  const encoder = new TextEncoder();
  const source: { current?: FrameSource } = {};
  let isFull = false;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink: FrameSink = {
          write(frames) {
            controller.enqueue(encoder.encode(frames));
            isFull = (controller.desiredSize ?? 0) <= 0;
            return !isFull;
          },
          end: () => controller.close(),
          cut: () => controller.error(new Error("The reader is too slow")),
        };
        source.current = start(sink);
      },
      pull() {
        if (!isFull) return;
        isFull = false;
        source.current?.onDrain();
      },
      cancel: () => source.current?.onClose(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: sinkHighWater }),
  );
  return new Response(body, { headers });
}
