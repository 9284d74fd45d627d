import { parentPort } from 'node:worker_threads';
import { ownBytes, transferable, type ResultMessage, type WorkMessage } from './messages.ts';

/** A function from bytes to bytes. What it throws fails its work as WorkerFailure, so errors for clients are a part of its result. */
export type WorkFunction = (parts: readonly Uint8Array[]) => readonly Uint8Array[] | Promise<readonly Uint8Array[]>;

/** Does the work of a WorkerPool with these functions. To be called once by the program of the pool's threads. */
export function serveWork(functions: Readonly<Record<string, WorkFunction>>): void {
  const port = parentPort;
  if (port === null) throw new Error('this program runs in worker threads only');
  port.on('message', ({ name, parts }: WorkMessage) => {
    void resultOf(functions[name], name, parts).then((result) =>
      port.postMessage(result, 'parts' in result ? transferable(result.parts) : []),
    );
  });
}

async function resultOf(
  run: WorkFunction | undefined,
  name: string,
  parts: readonly Uint8Array[],
): Promise<ResultMessage> {
  if (run === undefined) return { failure: `no function ${name}` };
  try {
    return { parts: (await run(parts)).map(ownBytes) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
