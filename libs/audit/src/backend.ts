import type { AuditEvent } from '@apichain/request';

/** Where events go. After Backend of k8s.io/apiserver/pkg/audit. */
export interface AuditBackend {
  /** For logs: `log`, `buffered<webhook>`. */
  readonly name: string;
  /** Whether the events have been stored; a promise where a request has to wait for that. Never throws. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Stores what is still held, then lets go of what it has open. */
  close(): Promise<void>;
}

/** Told of events that are lost. */
export type AuditFailure = (plugin: string, error: Error, events: readonly AuditEvent[]) => void;

/** Every event goes to each of the backends, in turn. */
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

/** Whether all succeeded; only where one has to be waited for it is a promise. */
export function allOf(results: readonly (boolean | Promise<boolean>)[]): boolean | Promise<boolean> {
  const pending = results.filter((result) => typeof result !== 'boolean');
  const done = results.every((result) => result !== false);
  return pending.length === 0 ? done : Promise.all(pending).then((later) => done && later.every(Boolean));
}

/** A backend whose failures do not matter to requests, which wait for it all the same (mode `blocking`). */
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
