import { PendingConversion } from '@apichain/managed-fields';

/** More than any computation needs: an object has one conversion per version. */
const maxRepetitions = 100;

/** The result of `compute`. When a conversion is pending, waits for it and computes again. */
export function converted<T>(compute: () => T | Promise<T>): T | Promise<T> {
  try {
    const result = compute();
    return result instanceof Promise ? result.catch((error: unknown) => repeat(error, compute)) : result;
  } catch (error) {
    if (!(error instanceof PendingConversion)) throw error;
    return repeatWhenReady(error, compute);
  }
}

async function repeat<T>(error: unknown, compute: () => T | Promise<T>): Promise<T> {
  if (!(error instanceof PendingConversion)) throw error;
  return repeatWhenReady(error, compute);
}

async function repeatWhenReady<T>(pending: PendingConversion, compute: () => T | Promise<T>): Promise<T> {
  let last = pending;
  for (let i = 0; i < maxRepetitions; i++) {
    await last.ready;
    try {
      return await compute();
    } catch (error) {
      if (!(error instanceof PendingConversion)) throw error;
      last = error;
    }
  }
  throw last;
}
