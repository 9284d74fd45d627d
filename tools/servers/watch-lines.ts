const lineFeed = 0x0a;

/**
 * Splits the chunks of a watch into lines and calls `onEvent` for every event. `line` decodes the event, which costs more than counting it;
 * `bytes` from `start` to `end` are its encoded form.
 */
export function watchLines(
  onEvent: (line: () => string, bytes: Buffer, start: number, end: number) => void,
): (chunk: Buffer) => void {
  let rest: Buffer | undefined;
  return (chunk) => {
    const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      const start = from;
      onEvent(() => bytes.toString('latin1', start, end), bytes, start, end);
      from = end + 1;
    }
    rest = from === bytes.length ? undefined : bytes.subarray(from);
  };
}

/** The lines of a watch as text, without empty ones. */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}
