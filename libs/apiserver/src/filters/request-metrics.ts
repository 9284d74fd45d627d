import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { systemApiserver } from '@apichain/authn';
import { removedRelease } from '@apichain/request';
import type { InFlightRequests } from './in-flight-requests.ts';
import type { RequestLimit } from '@apichain/flowcontrol';
import { scopeOf, type RequestScope } from '@apichain/request';
import type { Filter } from '@apichain/request';
import { WatchEventMetrics } from '@apichain/observability';
import {
  exponentialBuckets,
  PreparedCounter,
  PreparedHistogram,
  type CounterSeries,
  type HistogramSeries,
} from '@apichain/observability';

const sliBuckets = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const durationBuckets = [0.005, 0.025, ...sliBuckets];
const maxSeries = 5000;

const resourceLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const durationLabels = ['verb', 'dry_run', ...resourceLabels.slice(1)] as const;
const totalLabels = [...durationLabels, 'code'] as const;
type ResourceLabel = (typeof resourceLabels)[number];
type DurationLabel = ResourceLabel | 'dry_run';

interface Series {
  readonly total: CounterSeries;
  readonly duration: HistogramSeries;
  /** Undefined for requests that do not count for the SLI: watches and dry runs. */
  readonly sli: HistogramSeries | undefined;
  /** Response size; undefined for all verbs except reads. */
  readonly size: HistogramSeries | undefined;
  readonly self: CounterSeries;
  /** Undefined for requests without a body. */
  readonly body: HistogramSeries | undefined;
}

/** The target of a request, as the labels of a series. */
interface Target {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
}

/** Metrics of every request, named as kube-apiserver names them: https://kubernetes.io/docs/reference/instrumentation/metrics/ */
export class RequestMetrics {
  readonly #total: PreparedCounter<DurationLabel | 'code'>;
  readonly #duration: PreparedHistogram<DurationLabel>;
  readonly #sli: PreparedHistogram<ResourceLabel>;
  readonly #size: PreparedHistogram<ResourceLabel>;
  readonly #self: PreparedCounter<'verb' | 'group' | 'resource' | 'subresource'>;
  readonly #terminations: Counter<ResourceLabel | 'code'>;
  readonly #aborts: Counter<Exclude<ResourceLabel, 'component'>>;
  readonly #handshakeErrors: Counter;
  readonly #bodies: PreparedHistogram<'group' | 'resource' | 'verb'>;
  readonly #deprecated: Gauge<'group' | 'version' | 'resource' | 'subresource' | 'removed_release'>;
  readonly #series = new Map<string, Series>();
  readonly #durations = new Map<string, Pick<Series, 'duration' | 'sli' | 'size' | 'self' | 'body'>>();
  readonly #bodySizes = new Map<string, HistogramSeries>();
  readonly #isKnown: (scope: RequestScope) => boolean;
  readonly #watchEvents: WatchEventMetrics;
  readonly #watchLists: Histogram<'group' | 'version' | 'resource' | 'scope'>;

  /**
   * `isKnown` tells whether this server serves the resource of a request. Other resources get no series here: unknown names would create
   * unbounded series, and requests for another server's resources are counted there.
   */
  constructor(registry: Registry, isKnown: (scope: RequestScope) => boolean) {
    this.#isKnown = isKnown;
    this.#watchEvents = new WatchEventMetrics(registry);
    this.#watchLists = new Histogram({
      name: 'apiserver_watch_list_duration_seconds',
      help: 'How long it took until watches had the initial events that they asked for, in seconds.',
      labelNames: ['group', 'version', 'resource', 'scope'],
      buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
      registers: [registry],
    });
    this.#total = new PreparedCounter({
      name: 'apiserver_request_total',
      help: 'Counter of apiserver requests by verb, dry run value, group, version, resource, scope, component and code.',
      labelNames: totalLabels,
      registry,
    });
    this.#duration = new PreparedHistogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Response latency in seconds by verb, dry run value, group, version, resource, subresource, scope and component.',
      labelNames: durationLabels,
      buckets: durationBuckets,
      registry,
    });
    this.#sli = new PreparedHistogram({
      name: 'apiserver_request_sli_duration_seconds',
      help: 'Response latency in seconds for which the server itself is responsible, without dry runs and watches.',
      labelNames: resourceLabels,
      buckets: sliBuckets,
      registry,
    });
    this.#size = new PreparedHistogram({
      name: 'apiserver_response_sizes',
      help: 'Size of the responses to reads, in bytes.',
      labelNames: resourceLabels,
      buckets: exponentialBuckets(1000, 10, 7),
      registry,
    });
    this.#self = new PreparedCounter({
      name: 'apiserver_selfrequest_total',
      help: 'Requests that the server made to itself.',
      labelNames: ['verb', 'group', 'resource', 'subresource'],
      registry,
    });
    const registers = [registry];
    this.#terminations = new Counter({
      name: 'apiserver_request_terminations_total',
      help: 'Requests that the server ended in self-defence.',
      labelNames: [...resourceLabels, 'code'],
      registers,
    });
    this.#aborts = new Counter({
      name: 'apiserver_request_aborts_total',
      help: 'Requests whose responses were broken off, such as those that took too long.',
      labelNames: resourceLabels.slice(0, -1) as Exclude<ResourceLabel, 'component'>[],
      registers,
    });
    this.#bodies = new PreparedHistogram({
      name: 'apiserver_request_body_size_bytes',
      help: 'Size of the bodies of writes, in bytes.',
      labelNames: ['group', 'resource', 'verb'],
      buckets: Array.from({ length: 31 }, (_, index) => 50_000 + index * 100_000),
      registry,
    });
    this.#deprecated = new Gauge({
      name: 'apiserver_requested_deprecated_apis',
      help: 'Deprecated APIs that were asked for, and the release that they are gone in.',
      labelNames: ['group', 'version', 'resource', 'subresource', 'removed_release'],
      registers,
    });
    this.#handshakeErrors = new Counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: 'Connections that ended in the TLS handshake.',
      registers,
    });
  }

  /** Registers gauges that read the counts of the filters. */
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
    const isKnown = this.#isKnown;
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
      labelNames: resourceLabels,
      registers: [registry],
      collect() {
        this.reset();
        for (const scope of inFlight.longRunning) {
          if (isKnown(scope)) this.inc({ ...targetOf(scope, true), component });
        }
      },
    });
  }

  readonly filter: Filter = (request, _response, next) => {
    const scope = scopeOf(request);
    scope.onFinish(() => this.#record(scope));
    if (scope.requestInfo.verb === 'watch') {
      scope.onEvents = this.#watchEvents.counterOf(scope, this.#isKnown);
      scope.onInitialEventsEnd = () => this.#recordWatchList(scope);
    }
    next();
  };

  /** Counts a request that was refused or aborted with the status code. */
  recordTermination(scope: RequestScope, code: number): void {
    this.#terminations.inc({ ...targetOf(scope, this.#isKnown(scope)), component, code: String(code) });
  }

  /** Counts a response that was aborted. */
  recordAbort(scope: RequestScope): void {
    this.#aborts.inc({ ...targetOf(scope, this.#isKnown(scope)) });
  }

  recordHandshakeError(): void {
    this.#handshakeErrors.inc();
  }

  #recordWatchList(scope: RequestScope): void {
    if (!this.#isKnown(scope)) return;
    const { group, version, resource, scope: area } = targetOf(scope, true);
    this.#watchLists.observe({ group, version, resource, scope: area }, (Date.now() - scope.receivedAt) / 1000);
  }

  #record(scope: RequestScope): void {
    const info = scope.requestInfo;
    const known = this.#isKnown(scope);
    if (info.isResourceRequest && !known) return;
    // As in kube-apiserver, whose not-found handler has no metrics: clients look for groups that may not be there, again and again.
    if (!info.isResourceRequest && scope.response.statusCode === 404) return;
    const { verb, group, version, resource, subresource, scope: area } = targetOf(scope, known);
    const dryRun = scope.query.text('dryRun') === 'All' ? 'All' : '';
    const { response } = scope;
    const target = `${verb}|${dryRun}|${group}|${version}|${resource}|${subresource}|${area}`;
    const key = `${target}|${response.statusCode}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      if (this.#series.size >= maxSeries) return;
      const labels = { verb, group, version, resource, subresource, scope: area };
      series = this.#prepare(target, labels, dryRun, String(response.statusCode), scope.longRunning);
      this.#series.set(key, series);
      if (scope.deprecation !== undefined) {
        const release = removedRelease(scope.deprecation);
        this.#deprecated.set({ group, version, resource, subresource, removed_release: release }, 1);
      }
    }
    const seconds = (Date.now() - scope.receivedAt) / 1000;
    series.total.value++;
    series.duration.observe(seconds);
    series.sli?.observe(seconds);
    series.size?.observe(Number(response.getHeader('Content-Length') ?? 0));
    series.body?.observe(Number(scope.request.headers['content-length'] ?? 0));
    if (scope.user.name === systemApiserver) series.self.value++;
  }

  #prepare(key: string, target: Target, dryRun: string, code: string, longRunning: boolean): Series {
    const labels = { ...target, component };
    let shared = this.#durations.get(key);
    if (shared === undefined) {
      const { verb, group, resource, subresource } = target;
      shared = {
        duration: this.#duration.prepare({ ...labels, dry_run: dryRun }),
        sli: longRunning || dryRun !== '' ? undefined : this.#sli.prepare(labels),
        size: verb === 'GET' || verb === 'LIST' ? this.#size.prepare(labels) : undefined,
        self: this.#self.prepare({ verb, group, resource, subresource }),
        body: this.#bodySeries(target),
      };
      this.#durations.set(key, shared);
    }
    return { ...shared, total: this.#total.prepare({ ...labels, dry_run: dryRun, code }) };
  }

  /** One series for all versions and scopes of a resource. */
  #bodySeries({ verb, group, resource }: Target): HistogramSeries | undefined {
    const name = bodyVerbs.get(verb);
    if (name === undefined || resource === '') return undefined;
    const key = `${group}|${resource}|${name}`;
    let series = this.#bodySizes.get(key);
    if (series === undefined)
      this.#bodySizes.set(key, (series = this.#bodies.prepare({ group, resource, verb: name })));
    return series;
  }
}

const component = 'apiserver';

/** The verb label of request bodies. */
const bodyVerbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['APPLY', 'patch'],
  ['DELETE', 'delete'],
  ['DELETECOLLECTION', 'delete_collection'],
]);

const probes: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** The path label of non-resource requests. Only probes have one, to bound the number of series. */
const pathLabel = (path: string): string => (probes.has(path) ? path : '');

function targetOf(scope: RequestScope, known: boolean): Target {
  const info = scope.requestInfo;
  return {
    verb: verbLabel(scope),
    group: known ? info.apiGroup : '',
    version: known ? info.apiVersion : '',
    resource: known ? info.resource : '',
    subresource: known ? info.subresource : pathLabel(info.path),
    scope: namespaceScope(scope),
  };
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
    return knownMethods.has(method) ? method : 'other';
  }
  switch (info.verb) {
    case 'create':
      return 'POST';
    case 'update':
      return 'PUT';
    case 'patch':
      return scope.request.headers['content-type'] === 'application/apply-patch+yaml' ? 'APPLY' : 'PATCH';
    case '':
      return 'other';
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
