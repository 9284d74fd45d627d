import { Counter, Gauge, type Registry } from 'prom-client';
import type { Probe } from '../health/health-checks.ts';

/** The results of health checks, recorded at each probe: https://kubernetes.io/docs/reference/instrumentation/slis/ */
export function healthMetrics(registry: Registry): (probe: Probe, name: string, healthy: boolean) => void {
  const last = new Gauge({
    name: 'kubernetes_healthcheck',
    help: 'What a health check said last: 1 = healthy, 0 = not.',
    labelNames: ['name', 'type'],
    registers: [registry],
  });
  const total = new Counter({
    name: 'kubernetes_healthchecks_total',
    help: 'How often a health check has said what.',
    labelNames: ['name', 'type', 'status'],
    registers: [registry],
  });
  return (type, name, healthy) => {
    last.set({ name, type }, healthy ? 1 : 0);
    total.inc({ name, type, status: healthy ? 'success' : 'error' });
  };
}
