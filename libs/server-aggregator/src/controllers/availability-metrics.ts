import { Counter, Gauge, type Registry } from 'prom-client';
import type { ApiServiceCondition } from '../apiservice/api-service.ts';

/** Metrics of unavailable APIServices: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export class AvailabilityMetrics {
  readonly #known = new Map<string, boolean>();
  readonly #becameUnavailable: Counter<'name' | 'reason'>;

  constructor(registry: Registry) {
    const known = this.#known;
    const registers = [registry];
    new Gauge({
      name: 'aggregator_unavailable_apiservice',
      help: 'Whether an APIService is unavailable: 1 = it is.',
      labelNames: ['name'],
      registers,
      collect() {
        this.reset();
        for (const [name, isAvailable] of known) this.set({ name }, isAvailable ? 0 : 1);
      },
    });
    this.#becameUnavailable = new Counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'How often APIServices became unavailable, by name and reason.',
      labelNames: ['name', 'reason'],
      registers,
    });
  }

  observe(name: string, { status, reason }: Pick<ApiServiceCondition, 'status' | 'reason'>): void {
    const isAvailable = status === 'True';
    if (!isAvailable && this.#known.get(name) === true) this.#becameUnavailable.inc({ name, reason });
    this.#known.set(name, isAvailable);
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}
