import type { AuditMetrics } from './audit-metrics.ts';
import type { AuditBackend } from './backend.ts';
import type { AuditEvaluator } from './policy.ts';

/** The audit policy, backend and metrics of a server. Several servers of a process may share one instance. */
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

  /** Called when a server starts to use the instance. */
  acquire(): void {
    this.#users++;
  }

  /** Called when a server stops using the instance. The last call closes the backend. */
  async release(): Promise<void> {
    if (--this.#users === 0) await this.backend.close();
  }
}
