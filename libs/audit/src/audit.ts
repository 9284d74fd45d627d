import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditBackend } from './backend.ts';
import type { AuditEvaluator } from './policy.ts';

/** What a server needs to audit: which requests, and where to. Several servers of a process may share one. */
export class Audit {
  readonly evaluator: AuditEvaluator;
  readonly backend: AuditBackend;
  readonly metrics: AuditMetrics;
  #users = 0;

  constructor(evaluator: AuditEvaluator, backend: AuditBackend, metrics: AuditMetrics) {
    this.evaluator = evaluator;
    this.backend = backend;
    this.metrics = metrics;
  }

  /** A server begins to use it. */
  acquire(): void {
    this.#users++;
  }

  /** The last one closes the backend. */
  async release(): Promise<void> {
    if (--this.#users === 0) await this.backend.close();
  }
}
