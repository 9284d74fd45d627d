import type { AuditEvent } from '@apichain/request';

/** A destination of audit events. After Backend of k8s.io/apiserver/pkg/audit. */
export interface AuditBackend {
  /** The name in logs: `log`, `buffered<webhook>`. */
  readonly name: string;
  /** Returns whether the events have been stored; a promise if the request must wait for that. Never throws. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Stores the remaining events, then closes files and connections. */
  close(): Promise<void>;
}

/** Called for events that are lost. */
export type AuditFailure = (plugin: string, error: Error, events: readonly AuditEvent[]) => void;

/** Sends every event to each of the backends, in order. */
export function unionOf(backends: readonly AuditBackend[]): AuditBackend {
  const [only] = backends;
  if (only !== undefined && backends.length === 1) return only;
  return {
    name: `union[${backends.map(({ name }) => name).join(',')}]`,
    process: (events) => allOf(backends.map((backend) => backend.process(events))),
    close: async () => {
      for (const backend of backends) await backend.close();
    },
  };
}

/** Whether all results are true. Returns a promise only if a result is one. */
export function allOf(results: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const pending = results.filter((result) => typeof result !== 'boolean');
  const done = results.every((result) => result !== false);
  return pending.length === 0 ? done : Promise.all(pending).then((later) => done && later.every(Boolean));
}

/** A backend whose failures do not affect requests, although requests wait for it (mode `blocking`). */
export function ignoringErrors(backend: AuditBackend): AuditBackend {
  return {
    name: `ignoreErrors<${backend.name}>`,
    process: (events) => {
      const result = backend.process(events);
      return typeof result === 'boolean' ? true : result.then(() => true);
    },
    close: () => backend.close(),
  };
}
