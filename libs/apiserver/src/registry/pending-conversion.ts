import { PendingConversion as MissingConversion } from '@apichain/managed-fields';
import type { KubeObject } from '@apichain/meta';

/**
 * A conversion whose result is not there yet, because somebody else is asked for it (the conversion webhook of a CRD). What was being
 * computed is to be repeated once `ready` has resolved; `ready` rejects with the client's error.
 */
export class PendingConversion extends MissingConversion {
  readonly ready: Promise<void>;
  constructor(object: KubeObject, apiVersion: string, ready: Promise<void>) {
    super(object, apiVersion);
    this.ready = ready;
  }
}

/** More conversions than one computation can need: an object has one for each version. */
const maxRepetitions = 100;

/** What `compute` answers; where that takes a conversion that is not there yet, it waits and computes again. */
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
