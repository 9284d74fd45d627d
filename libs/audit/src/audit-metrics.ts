import { Counter, type Registry } from 'prom-client';
import type { AuditLevel } from '@apichain/request';

/** The counters apiserver_audit_*: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export class AuditMetrics {
  readonly #events = new Counter({
    name: 'apiserver_audit_event_total',
    help: 'Counter of audit events generated and sent to the audit backend.',
    registers: [],
  });
  readonly #errors = new Counter({
    name: 'apiserver_audit_error_total',
    help: 'Counter of audit events that failed to be audited properly, by the plugin that failed.',
    labelNames: ['plugin'],
    registers: [],
  });
  readonly #levels = new Counter({
    name: 'apiserver_audit_level_total',
    help: 'Counter of policy levels for audit events (1 per request).',
    labelNames: ['level'],
    registers: [],
  });
  readonly #rejected = new Counter({
    name: 'apiserver_audit_requests_rejected_total',
    help: 'Counter of apiserver requests rejected due to an error in audit logging backend.',
    registers: [],
  });

  /** Several servers of a process may register the same counters. */
  register(registry: Registry): void {
    registry.registerMetric(this.#events);
    registry.registerMetric(this.#errors);
    registry.registerMetric(this.#levels);
    registry.registerMetric(this.#rejected);
  }

  event(): void {
    this.#events.inc();
  }

  level(level: AuditLevel): void {
    this.#levels.inc({ level });
  }

  rejected(): void {
    this.#rejected.inc();
  }

  failed(plugin: string, events: number): void {
    this.#errors.inc({ plugin }, events);
  }
}
