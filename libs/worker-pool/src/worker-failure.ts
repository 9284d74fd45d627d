/** Thrown for work whose worker thread ended, ran out of memory or did not respond in time. The work has no result; other work is not affected. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
}
