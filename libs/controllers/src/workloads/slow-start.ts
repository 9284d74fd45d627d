import { forEachLimited } from '../context.ts';

/** The largest number of writes at once. */
const parallelWrites = 16;

/**
 * Calls `task` `count` times in batches of 1, 2, 4 and so on, which spares the server attempts that fail for the same reason: after a batch with a
 * failure there is no further one. Returns the number of calls that succeeded, and the first error.
 */
export async function slowStart(
  count: number,
  task: (index: number) => Promise<void>,
): Promise<{ readonly succeeded: number; readonly error: unknown }> {
  let succeeded = 0;
  let begun = 0;
  for (let size = 1; begun < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - begun) }, (_, i) => begun + i);
    begun += batch.length;
    try {
      await forEachLimited(batch, parallelWrites, async (index) => {
        await task(index);
        succeeded++;
      });
    } catch (error) {
      return { succeeded, error };
    }
  }
  return { succeeded, error: undefined };
}
