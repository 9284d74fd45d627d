const defaultLimit = 20;

/**
 * Calls `work` for each item, a few at a time. Returns the results in the order of the items. After a failure no further items are started. Rejects with
 * the failure when all started items have ended.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  limit = defaultLimit,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      if (hasFailed) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await allEnded(Array.from({ length: limit }, worker));
  return results;
}

/** As `inParallel`, for so many calls. */
export const repeat = <Result>(
  count: number,
  work: (index: number) => Promise<Result>,
  limit?: number,
): Promise<Result[]> =>
  inParallel(
    Array.from({ length: count }, (_, index) => index),
    work,
    limit,
  );

/** As Promise.all, but rejects only when all promises have settled. */
export async function allEnded<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
