import type { AdmissionAttributes } from '../../plugin.ts';
import type { LevelVersion, Policy } from './policy.ts';

/** The labels of a series, without those of the request. */
type Series = Readonly<Record<string, string>>;
/** One of the metrics. */
export type PodSecurityCounter = 'evaluations' | 'exemptions' | 'errors';

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
    const isCore = resource.group === '';
    const labels = {
      ...own,
      request_operation: operation.toLowerCase(),
      resource: isCore ? (kinds.get(resource.resource) ?? controller) : controller,
      subresource,
    };
    const key = `${counter} ${JSON.stringify(labels)}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { counter, labels, count: 1 });
    else known.count += 1;
  }
}

const controller = 'controller';
const kinds: ReadonlyMap<string, string> = new Map([
  ['pods', 'pod'],
  ['namespaces', 'namespace'],
]);
