import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '@apichain/api/autoscaling/v2';
import type { Pod } from '@apichain/api/core/v1';
import type { EventRecorder, RestClient } from '@apichain/client';
import {
  SelectorError,
  type LabelSelector,
  currentTime,
  deepClone,
  errorMessage,
  parseGroupVersion,
  parseLabelSelector,
  semanticEqual,
} from '@apichain/meta';
import type { ControllerSettings } from '../settings.ts';
import { timestamp } from '../timestamps.ts';
import { type ScalingHistory, newHistory, normalize, noteChange } from './behavior.ts';
import type { KnownKinds } from './known-kinds.ts';
import { MetricError, type MetricProposal, replicasForMetric, tolerancesOf } from './metric-replicas.ts';
import type { MetricsClient } from './metrics-client.ts';
import { type ScaleTarget, readScale, writeScale } from './scale-target.ts';

export const autoscalersResource = {
  group: 'autoscaling',
  version: 'v2',
  resource: 'horizontalpodautoscalers',
} as const;

/** What the autoscalers share. */
export interface Autoscaling {
  readonly client: RestClient;
  readonly settings: ControllerSettings;
  readonly kinds: KnownKinds;
  readonly events: EventRecorder;
  readonly metrics: MetricsClient;
  /** Histories by the key of the autoscaler. */
  readonly histories: Map<string, ScalingHistory>;
  /** The selectors of the targets, by the key of the autoscaler. */
  readonly selectors: Map<string, LabelSelector>;
  readonly podsIn: (namespace: string) => readonly Pod[];
}

interface Computed {
  readonly replicas: number;
  readonly name: string;
  readonly statuses: MetricStatus[];
  /** An error of some metrics, which the others do without. */
  readonly error: Error | undefined;
}

/** Metrics are not usable. `statuses` has those that were measured. */
class NoReplicasError extends Error {
  readonly statuses: MetricStatus[];
  constructor(message: string, statuses: MetricStatus[] = []) {
    super(message);
    this.statuses = statuses;
  }
}

/** Compares the metrics of an autoscaler with its targets, and sets the replicas of what it scales. */
export class AutoscalerReconciliation {
  readonly #shared: Autoscaling;
  readonly #key: string;
  readonly #autoscaler: HorizontalPodAutoscaler;
  readonly #spec: HorizontalPodAutoscalerSpec;
  readonly #before: HorizontalPodAutoscalerStatus | undefined;
  readonly #now = currentTime();
  #status: HorizontalPodAutoscalerStatus;

  constructor(shared: Autoscaling, key: string, autoscaler: HorizontalPodAutoscaler) {
    this.#shared = shared;
    this.#key = key;
    this.#autoscaler = deepClone(autoscaler);
    this.#spec = this.#autoscaler.spec ?? {};
    this.#before = autoscaler.status;
    this.#status = this.#autoscaler.status ?? {};
  }

  /** Throws Error if metrics or the target cannot be used; events and conditions say so too. */
  async run(): Promise<void> {
    const { kind = '', name = '' } = this.#spec.scaleTargetRef ?? {};
    const reference = `${kind}/${this.#namespace}/${name}`;
    const target = await this.#readTarget(reference);
    this.#setCondition(
      'AbleToScale',
      'True',
      'SucceededGetScale',
      "the HPA controller was able to get the target's current scale",
    );
    const current = target.scale.spec?.replicas ?? 0;
    const { histories } = this.#shared;
    const history = histories.get(this.#key) ?? newHistory(current, this.#now);
    histories.set(this.#key, history);
    const { minReplicas = 1, maxReplicas = 0 } = this.#spec;
    let desired: number;
    let reason = '';
    let computed: Computed | undefined;
    if (current === 0) {
      desired = 0;
      const text = 'scaling is disabled since the replica count of the target is zero';
      this.#setCondition('ScalingActive', 'False', 'ScalingDisabled', text);
    } else if (current > maxReplicas) {
      desired = maxReplicas;
      reason = 'Current number of replicas above Spec.MaxReplicas';
    } else if (current < minReplicas) {
      desired = minReplicas;
      reason = 'Current number of replicas below Spec.MinReplicas';
    } else {
      computed = await this.#compute(target, current, reference);
      if (computed.replicas > current) reason = `${computed.name} above target`;
      if (computed.replicas < current) reason = 'All metrics below target';
      desired = this.#normalize(history, { current, minReplicas, maxReplicas }, computed.replicas);
    }
    const rescales = desired !== current;
    if (rescales)
      await this.#rescale(target, history, { current, desired, reason, reference, statuses: computed?.statuses });
    this.#enter(current, desired, computed?.statuses, rescales);
    await this.#writeStatus();
    if (computed?.error !== undefined) throw computed.error;
  }

  async #readTarget(reference: string): Promise<ScaleTarget> {
    const { client, kinds } = this.#shared;
    const { scaleTargetRef = {} } = this.#spec;
    try {
      parseGroupVersion(scaleTargetRef.apiVersion ?? '');
      return await readScale(client, kinds, this.#namespace, scaleTargetRef);
    } catch (error) {
      const text = errorMessage(error);
      this.#record('Warning', 'FailedGetScale', text);
      const message = `the HPA controller was unable to get the target's current scale: ${text}`;
      this.#setCondition('AbleToScale', 'False', 'FailedGetScale', message);
      await this.#writeStatus();
      throw new Error(`failed to query scale subresource for ${reference}: ${text}`, { cause: error });
    }
  }

  async #compute(target: ScaleTarget, current: number, reference: string): Promise<Computed> {
    try {
      return await this.#replicasForMetrics(target, current);
    } catch (error) {
      if (!(error instanceof NoReplicasError)) throw error;
      this.#enter(current, this.#status.desiredReplicas ?? 0, error.statuses, false);
      await this.#writeStatus();
      this.#record('Warning', 'FailedComputeMetricsReplicas', error.message);
      const what = `failed to compute desired number of replicas based on listed metrics for ${reference}`;
      throw new Error(`${what}: ${error.message}`, { cause: error });
    }
  }

  async #replicasForMetrics({ scale }: ScaleTarget, currentReplicas: number): Promise<Computed> {
    const selectorText = scale.status?.selector ?? '';
    const selector = this.#selector(selectorText);
    const pods = this.#shared.podsIn(this.#namespace).filter(({ metadata }) => selector.matches(metadata.labels));
    this.#checkAmbiguity(selectorText, pods);
    const { metrics, settings } = this.#shared;
    const context = {
      metrics,
      namespace: this.#namespace,
      selector: selectorText,
      statusReplicas: scale.status?.replicas ?? 0,
      currentReplicas,
      tolerances: tolerancesOf(this.#autoscaler, settings['horizontal-pod-autoscaler-tolerance']),
      pods,
      now: this.#now,
      settings,
    };
    const specs = this.#spec.metrics ?? [];
    const proposals: (MetricProposal | undefined)[] = [];
    const errors: MetricError[] = [];
    for (const spec of specs)
      try {
        proposals.push(await replicasForMetric(context, spec));
      } catch (error) {
        if (!(error instanceof MetricError)) throw error;
        this.#record('Warning', error.reason, error.detail);
        errors.push(error);
        proposals.push(undefined);
      }
    return this.#choose(proposals, errors, currentReplicas);
  }

  /** The highest of the proposals. If a metric is missing, the replicas are not reduced. */
  #choose(
    proposals: readonly (MetricProposal | undefined)[],
    errors: readonly MetricError[],
    current: number,
  ): Computed {
    const valid = proposals.filter((proposal) => proposal !== undefined);
    const statuses = proposals.map((proposal) => proposal?.status ?? { type: '' });
    const highest = valid.reduce<MetricProposal | undefined>(
      (best, proposal) => (best === undefined || proposal.replicas > best.replicas ? proposal : best),
      undefined,
    );
    const [first] = errors;
    const count = `${errors.length} invalid out of ${proposals.length}`;
    const message = first && `invalid metrics (${count}), first error is: ${first.message}`;
    if (highest === undefined || (first !== undefined && highest.replicas < current)) {
      const detail = `the HPA was unable to compute the replica count: ${first?.detail}`;
      if (first !== undefined) this.#setCondition('ScalingActive', 'False', first.reason, detail);
      throw new NoReplicasError(message ?? 'there are no metrics', statuses);
    }
    const text = `the HPA was able to successfully calculate a replica count from ${highest.name}`;
    this.#setCondition('ScalingActive', 'True', 'ValidMetricFound', text);
    const error = message === undefined ? undefined : new Error(message);
    return { replicas: highest.replicas, name: highest.name, statuses, error };
  }

  #selector(text: string): LabelSelector {
    if (text === '') {
      this.#record('Warning', 'SelectorRequired', 'selector is required');
      const message = "the HPA target's scale is missing a selector";
      this.#setCondition('ScalingActive', 'False', 'InvalidSelector', message);
      throw new NoReplicasError('selector is required');
    }
    try {
      const selector = parseLabelSelector(text);
      this.#shared.selectors.set(this.#key, selector);
      return selector;
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      const what = "couldn't convert selector into a corresponding internal selector object";
      return this.#refuse('InvalidSelector', `${what}: ${error.message}`);
    }
  }

  /** Two autoscalers must not scale the same pods. */
  #checkAmbiguity(selectorText: string, pods: readonly Pod[]): void {
    const [namespace] = this.#key.split('/');
    const others = [...this.#shared.selectors].filter(([key, selector]) => {
      const isNear = key.startsWith(`${namespace}/`);
      return isNear && pods.some(({ metadata }) => selector.matches(metadata.labels));
    });
    if (others.length < 2) return;
    const names = others.map(([key]) => `${key}`).join(' ');
    this.#refuse('AmbiguousSelector', `pods by selector ${selectorText} are controlled by multiple HPAs: [${names}]`);
  }

  #refuse(reason: string, message: string): never {
    this.#record('Warning', reason, message);
    this.#setCondition('ScalingActive', 'False', reason, message);
    throw new NoReplicasError(message);
  }

  #normalize(
    history: ScalingHistory,
    bounds: { readonly current: number; readonly minReplicas: number; readonly maxReplicas: number },
    desired: number,
  ): number {
    const window = this.#shared.settings['horizontal-pod-autoscaler-downscale-stabilization'];
    const { replicas, able, limited } = normalize(this.#spec, history, bounds, desired, this.#now, window);
    this.#setCondition('AbleToScale', 'True', able.reason, able.message);
    this.#setCondition('ScalingLimited', limited.status, limited.reason, limited.message);
    return replicas;
  }

  async #rescale(
    target: ScaleTarget,
    history: ScalingHistory,
    change: {
      current: number;
      desired: number;
      reason: string;
      reference: string;
      statuses: MetricStatus[] | undefined;
    },
  ): Promise<void> {
    const { current, desired, reason, reference, statuses } = change;
    const size = `New size: ${desired}; reason: ${reason}`;
    try {
      await writeScale(this.#shared.client, target, desired);
    } catch (error) {
      const text = errorMessage(error);
      this.#record('Warning', 'FailedRescale', `${size}; error: ${text}`);
      const message = `the HPA controller was unable to update the target scale: ${text}`;
      this.#setCondition('AbleToScale', 'False', 'FailedUpdateScale', message);
      this.#enter(current, this.#status.desiredReplicas ?? 0, statuses, false);
      await this.#writeStatus();
      throw new Error(`failed to rescale ${reference}: ${text}`, { cause: error });
    }
    const message = `the HPA controller was able to update the target scale to ${desired}`;
    this.#setCondition('AbleToScale', 'True', 'SucceededRescale', message);
    this.#record('Normal', 'SuccessfulRescale', size);
    noteChange(this.#spec, history, current, desired, this.#now);
  }

  #enter(
    currentReplicas: number,
    desiredReplicas: number,
    statuses: MetricStatus[] | undefined,
    rescales: boolean,
  ): void {
    const { lastScaleTime, conditions } = this.#status;
    const scaled = rescales ? timestamp(this.#now) : lastScaleTime;
    this.#status = {
      ...(scaled !== undefined && { lastScaleTime: scaled }),
      currentReplicas,
      desiredReplicas,
      currentMetrics: statuses ?? null,
      ...(conditions !== undefined && { conditions }),
    };
  }

  #setCondition(type: string, status: 'True' | 'False', reason: string, message: string): void {
    const conditions = this.#status.conditions ?? [];
    const known = conditions.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? (known.lastTransitionTime ?? null) : timestamp(this.#now);
    const condition = { type, status, lastTransitionTime, reason, message };
    this.#status.conditions =
      known === undefined
        ? [...conditions, condition]
        : conditions.map((other) => (other === known ? condition : other));
  }

  async #writeStatus(): Promise<void> {
    if (semanticEqual(this.#before, this.#status)) return;
    const written = { ...this.#autoscaler, status: this.#status };
    const ref = { ...autoscalersResource, namespace: this.#namespace };
    try {
      await this.#shared.client.update(ref, written, { subresource: 'status' });
    } catch (error) {
      this.#record('Warning', 'FailedUpdateStatus', errorMessage(error));
      const { name = '' } = this.#autoscaler.metadata;
      throw new Error(`failed to update status for ${name}: ${errorMessage(error)}`, { cause: error });
    }
  }

  #record(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#shared.events.event(this.#autoscaler, type, reason, message);
  }

  get #namespace(): string {
    return this.#autoscaler.metadata.namespace ?? '';
  }
}
