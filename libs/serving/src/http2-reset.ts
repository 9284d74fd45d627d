import type { ServerHttp2Stream } from 'node:http2';

/**
 * Makes a stream close when its client resets it, whatever the code. After RST_STREAM with NO_ERROR, Node waits until the request was read to its end
 * and the response was sent. Neither happens when nobody reads the body, or when the client's window is closed, and the request would keep its
 * seat and its deadline for good.
 */
export function closeWhenReset(stream: ServerHttp2Stream): void {
  const push = stream.push.bind(stream);
  // Node ends the readable side of a stream before its end only for such a reset, and it has marked the stream as closed before.
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    const isMore = push(chunk, encoding);
    if (chunk === null && stream.closed) process.nextTick(() => stream.destroy());
    return isMore;
  };
}
