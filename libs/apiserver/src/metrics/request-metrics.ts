import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { InFlightRequests } from '../filters/in-flight-requests.ts';
import type { RequestLimit } from '../filters/request-limit.ts';
import { scopeOf, type RequestScope } from '../request-scope.ts';
import type { Filter } from '../filters/filter.ts';

const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const maxSeries = 5000;
const labels = [
  'verb',
  'dry_run',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
  'code',
] as const;
const durationLabels = [
  'verb',
  'dry_run',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
] as const;

interface Series {
  readonly count: { inc(): void };
  readonly duration: { observe(seconds: number): void };
}

/** Metrics of every request, named as kube-apiserver names them: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export class RequestMetrics {
  readonly #total: Counter<(typeof labels)[number]>;
  readonly #duration: Histogram<(typeof durationLabels)[number]>;
  readonly #terminations: Counter<'verb' | 'code' | 'component'>;
  readonly #authenticationFailures: Counter<'result'>;
  readonly #series = new Map<string, Series>();
  readonly #isKnown: (scope: RequestScope) => boolean;

  /** `isKnown` tells whether a request's resource is one that is served, so that made-up names do not become series. */
  constructor(registry: Registry, isKnown: (scope: RequestScope) => boolean) {
    this.#isKnown = isKnown;
    this.#total = new Counter({
      name: 'apiserver_request_total',
      help: 'Counter of apiserver requests by verb, dry run value, group, version, resource, scope, component and code.',
      labelNames: labels,
      registers: [registry],
    });
    this.#duration = new Histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Response latency in seconds by verb, dry run value, group, version, resource, subresource, scope and component.',
      labelNames: durationLabels,
      buckets: durationBuckets,
      registers: [registry],
    });
    this.#terminations = new Counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended in self-defence.',
      labelNames: ['verb', 'code', 'component'],
      registers: [registry],
    });
    this.#authenticationFailures = new Counter({
      name: 'authentication_attempts',
      help: 'Counter of authentication attempts that failed.',
      labelNames: ['result'],
      registers: [registry],
    });
  }

  /** Gauges that read what the filters count. */
  watchInFlight(registry: Registry, inFlight: InFlightRequests, limits: RequestLimit): void {
    new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Number of short requests being served, by kind.',
      labelNames: ['request_kind'],
      registers: [registry],
      collect() {
        this.set({ request_kind: 'readOnly' }, limits.running('readOnly'));
        this.set({ request_kind: 'mutating' }, limits.running('mutating'));
      },
    });
    new Gauge({
      name: 'apiserver_current_inqueue_requests',
      help: 'Number of requests waiting for a seat, by kind.',
      labelNames: ['request_kind'],
      registers: [registry],
      collect() {
        this.set({ request_kind: 'readOnly' }, limits.waiting('readOnly'));
        this.set({ request_kind: 'mutating' }, limits.waiting('mutating'));
      },
    });
    new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Number of long-running requests being served.',
      registers: [registry],
      collect() {
        this.set(inFlight.longRunningCount);
      },
    });
  }

  readonly filter: Filter = (request, _response, next) => {
    const scope = scopeOf(request);
    scope.onFinish(() => this.#record(scope));
    next();
  };

  recordDropped(verb: string): void {
    this.#terminations.inc({ verb, code: '429', component: 'apiserver' });
  }

  recordAuthenticationFailure(): void {
    this.#authenticationFailures.inc({ result: 'error' });
  }

  #record(scope: RequestScope): void {
    const info = scope.requestInfo;
    const known = this.#isKnown(scope);
    const verb = verbLabel(scope);
    const code = scope.response.statusCode;
    const area = namespaceScope(scope);
    const dryRun = scope.query?.get('dryRun') === 'All' ? 'All' : '';
    const resource = known ? info.resource : '';
    const subresource = known ? info.subresource : '';
    const key = `${verb}|${dryRun}|${known ? info.apiGroup : ''}|${info.apiVersion}|${resource}|${subresource}|${area}|${code}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= maxSeries) return;
      const common = {
        verb,
        dry_run: dryRun,
        group: known ? info.apiGroup : '',
        version: known ? info.apiVersion : '',
        resource,
        subresource,
        scope: area,
        component: 'apiserver',
      };
      series = {
        count: this.#total.labels({ ...common, code: String(code) }),
        duration: this.#duration.labels(common),
      };
      this.#series.set(key, series);
    }
    series.count.inc();
    if (!scope.longRunning) series.duration.observe((Date.now() - scope.receivedAt) / 1000);
  }
}

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'CONNECT',
]);

function verbLabel(scope: RequestScope): string {
  const info = scope.requestInfo;
  if (!info.isResourceRequest) {
    const method = scope.request.method ?? '';
    return knownMethods.has(method) ? method : 'OTHER';
  }
  switch (info.verb) {
    case 'create':
      return 'POST';
    case 'update':
      return 'PUT';
    case 'patch':
      return scope.request.headers['content-type'] === 'application/apply-patch+yaml' ? 'APPLY' : 'PATCH';
    case '':
      return 'OTHER';
    default:
      return info.verb.toUpperCase();
  }
}

function namespaceScope(scope: RequestScope): string {
  const info = scope.requestInfo;
  if (!info.isResourceRequest) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}
