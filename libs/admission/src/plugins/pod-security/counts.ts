import type { AdmissionAttributes } from '../../plugin.ts';
import type { LevelVersion, Policy } from './policy.ts';

/** The labels of a series, without those of the request. */
type Series = Readonly<Record<string, string>>;
/** One of the metrics. */
export type PodSecurityCounter = 'evaluations' | 'exemptions' | 'errors';

const controller = 'controller';
const kinds: ReadonlyMap<string, string> = new Map([
  ['pods', 'pod'],
  ['namespaces', 'namespace'],
]);

/**
 * What the Pod Security Standards have decided. The labels have few values, so the number of series is bounded.
 * Source: k8s.io/pod-security-admission/metrics.
 */
export class PodSecurityCounts {
  readonly #newest: number;
  readonly #counts = new Map<
    string,
    { readonly counter: PodSecurityCounter; readonly labels: Series; count: number }
  >();

  /** `newest` is the minor version of the server: series of newer policies are one. */
  constructor(newest: number) {
    this.#newest = newest;
    // The most frequent series are there from the start, with zero.
    const privileged = { decision: 'allow', policy_level: 'privileged', policy_version: 'latest', mode: 'enforce' };
    for (const request_operation of ['create', 'update']) {
      this.#series('evaluations', { ...privileged, request_operation, resource: 'pod', subresource: '' });
      for (const resource of ['pod', controller])
        this.#series('exemptions', { request_operation, resource, subresource: '' });
    }
  }

  evaluated(mode: keyof Policy, policy: LevelVersion, isAllowed: boolean, attributes: AdmissionAttributes): void {
    const labels = { decision: isAllowed ? 'allow' : 'deny', policy_level: policy.level };
    this.#add('evaluations', { ...labels, policy_version: this.#version(policy), mode }, attributes);
  }

  exempted(attributes: AdmissionAttributes): void {
    this.#add('exemptions', {}, attributes);
  }

  /** `isFatal` is whether the request was refused for it. */
  failed(isFatal: boolean, attributes: AdmissionAttributes): void {
    this.#add('errors', { fatal: String(isFatal) }, attributes);
  }

  *of(counter: PodSecurityCounter): Iterable<readonly [Series, number]> {
    for (const series of this.#counts.values()) if (series.counter === counter) yield [series.labels, series.count];
  }

  #version({ level, version }: LevelVersion): string {
    if (version === 'latest' || level === 'privileged') return 'latest';
    return version > this.#newest ? 'future' : `v1.${version}`;
  }

  #add(counter: PodSecurityCounter, own: Series, { operation, resource, subresource }: AdmissionAttributes): void {
    const kind = resource.group === '' ? (kinds.get(resource.resource) ?? controller) : controller;
    this.#series(counter, {
      ...own,
      request_operation: operation.toLowerCase(),
      resource: kind,
      subresource,
    }).count += 1;
  }

  #series(counter: PodSecurityCounter, labels: Series): { count: number } {
    const key = `${counter} ${JSON.stringify(labels)}`;
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const series = { counter, labels, count: 0 };
    this.#counts.set(key, series);
    return series;
  }
}
