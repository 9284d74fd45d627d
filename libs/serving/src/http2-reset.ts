import type { ServerHttp2Stream } from 'node:http2';

/**
 * Makes a stream close when its client resets it, whatever the code. After RST_STREAM with NO_ERROR, Node waits until the request has been read
 * and the response has been sent. A response that waits for the client's window is never sent then, and the request would keep its seat for good.
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
