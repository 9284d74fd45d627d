/**
 * Runs `create` for each item, in batches of 1, 2, 4, ..., so that what makes all fail, such as an exceeded quota, costs few requests. Stops after a
 * batch with failures. Returns how many succeeded, and the first error.
 */
export async function slowStart<T>(
  items: readonly T[],
  create: (item: T) => Promise<void>,
): Promise<{ readonly created: number; readonly error: unknown }> {
  let created = 0;
  for (let start = 0, size = 1; start < items.length; start += size, size *= 2) {
    const results = await Promise.allSettled(items.slice(start, start + size).map(create));
    const failed = results.filter((result) => result.status === 'rejected');
    created += results.length - failed.length;
    if (failed[0] !== undefined) return { created, error: failed[0].reason };
  }
  return { created, error: undefined };
}
