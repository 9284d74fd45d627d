import { newForbidden, type KubeObject } from '@apichain/meta';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from './plugin.ts';

/*
 * Plugins that are on by default and complete a pod, node or volume on its way in.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */

type Members = Record<string, unknown>;
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function specOf(object: KubeObject): Members {
  if (!isMembers(object['spec'])) object['spec'] = {};
  return isMembers(object['spec']) ? object['spec'] : {};
}

const isResource = ({ resource, subresource }: AdmissionAttributes, name: string) =>
  resource.group === '' && resource.resource === name && subresource === '';

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';
const defaultTolerationSeconds = 300;

const tolerationsOf = (spec: Members): Members[] =>
  Array.isArray(spec['tolerations']) ? spec['tolerations'].filter(isMembers) : [];

/** A toleration without a key takes every taint, and one without an effect every effect. */
function toleratesNoExecute({ key = '', effect = '' }: Toleration, taint: string): boolean {
  return (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
}

/** DefaultTolerationSeconds: a pod stays on a lost node for five minutes unless it says otherwise. */
export class DefaultTolerationSeconds implements AdmissionPlugin {
  readonly name = 'DefaultTolerationSeconds';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);

  admit(attributes: AdmissionAttributes): void {
    const { object } = attributes;
    if (object === undefined || !isResource(attributes, 'pods')) return;
    const spec = specOf(object);
    const tolerations = tolerationsOf(spec);
    const missing = [notReady, unreachable].filter(
      (taint) => !tolerations.some((toleration) => toleratesNoExecute(toleration, taint)),
    );
    if (missing.length === 0) return;
    spec['tolerations'] = [
      ...tolerations,
      ...missing.map((key) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: defaultTolerationSeconds,
      })),
    ];
  }
}

/** TaintNodesByCondition: a new node takes no pods before it is known to be ready. */
export class TaintNodesByCondition implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  admit(attributes: AdmissionAttributes): void {
    const { object } = attributes;
    if (object === undefined || !isResource(attributes, 'nodes')) return;
    const spec = specOf(object);
    const taints: unknown[] = Array.isArray(spec['taints']) ? spec['taints'] : [];
    const has = taints.some(
      (taint) => isMembers(taint) && taint['key'] === notReady && taint['effect'] === 'NoSchedule',
    );
    if (!has) spec['taints'] = [...taints, { key: notReady, effect: 'NoSchedule' }];
  }
}

const protectionFinalizers: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
};

/** StorageObjectInUseProtection: volumes and claims stay while something uses them. */
export class StorageObjectInUseProtection implements AdmissionPlugin {
  readonly name = 'StorageObjectInUseProtection';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);

  admit({ object, resource, subresource }: AdmissionAttributes): void {
    if (object === undefined || resource.group !== '' || subresource !== '') return;
    const finalizer = Object.hasOwn(protectionFinalizers, resource.resource)
      ? protectionFinalizers[resource.resource]
      : undefined;
    const finalizers = object.metadata.finalizers ?? [];
    if (finalizer === undefined || finalizers.includes(finalizer)) return;
    object.metadata.finalizers = [...finalizers, finalizer];
  }
}

export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
  readonly preemptionPolicy: string;
}
/** Where Priority learns about priority classes. */
export interface PriorityClassLookup {
  get(name: string): Promise<PriorityClass | undefined>;
  list(): Promise<readonly PriorityClass[]>;
}

/** A PriorityClass object as the plugin sees it. */
export function priorityClassOf(object: KubeObject): PriorityClass {
  const { value, globalDefault, preemptionPolicy } = object;
  return {
    name: object.metadata.name ?? '',
    value: typeof value === 'number' ? value : 0,
    globalDefault: globalDefault === true,
    preemptionPolicy: typeof preemptionPolicy === 'string' ? preemptionPolicy : 'PreemptLowerPriority',
  };
}

const priorityClassResource = { group: 'scheduling.k8s.io', resource: 'priorityclasses' };
const podResource = { group: '', resource: 'pods' };

/** Priority: a pod's priority and preemption policy follow from its class, or from the default one. */
export class Priority implements AdmissionPlugin {
  readonly name = 'Priority';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE']);
  readonly #classes: PriorityClassLookup;

  constructor(classes: PriorityClassLookup) {
    this.#classes = classes;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { object, operation, oldObject } = attributes;
    if (object === undefined || !isResource(attributes, 'pods')) return;
    if (operation === 'CREATE') await this.#admitPod(object);
    else if (operation === 'UPDATE' && oldObject !== undefined) keepPriority(object, oldObject);
  }

  async #admitPod(pod: KubeObject): Promise<void> {
    const spec = specOf(pod);
    const chosen = await this.#classOf(pod, spec);
    const { value, preemptionPolicy } = chosen;
    const podName = pod.metadata.name ?? '';
    const given = spec['priority'];
    if (typeof given === 'number' && given !== value) {
      throw newForbidden(
        podResource,
        podName,
        `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    spec['priority'] = value;
    const policy = spec['preemptionPolicy'];
    if (typeof policy === 'string' && policy !== preemptionPolicy) {
      throw newForbidden(
        podResource,
        podName,
        `the string value of PreemptionPolicy (${policy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
      );
    }
    spec['preemptionPolicy'] = preemptionPolicy;
  }

  async #classOf(pod: KubeObject, spec: Members): Promise<PriorityClass> {
    const name = typeof spec['priorityClassName'] === 'string' ? spec['priorityClassName'] : '';
    if (name === '') {
      const fallback = await this.#defaultClass();
      if (fallback.name !== '') spec['priorityClassName'] = fallback.name;
      return fallback;
    }
    const found = await this.#classes.get(name);
    if (found !== undefined) return found;
    throw newForbidden(podResource, pod.metadata.name ?? '', `no PriorityClass with name ${name} was found`);
  }

  /** The lowest of the classes that call themselves the default; zero without one. */
  async #defaultClass(): Promise<PriorityClass> {
    const defaults = (await this.#classes.list()).filter(({ globalDefault }) => globalDefault);
    const [lowest] = defaults.sort((a, b) => a.value - b.value);
    return lowest ?? { name: '', value: 0, globalDefault: false, preemptionPolicy: 'PreemptLowerPriority' };
  }

  /** There is at most one default class. */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { object, resource, subresource, operation } = attributes;
    const isClass =
      resource.group === priorityClassResource.group &&
      resource.resource === priorityClassResource.resource &&
      subresource === '';
    if (!isClass || operation === 'DELETE' || object === undefined || object['globalDefault'] !== true) return;
    const name = object.metadata.name ?? '';
    const other = (await this.#classes.list()).find((found) => found.globalDefault);
    if (other === undefined || (operation === 'UPDATE' && other.name === name)) return;
    throw newForbidden(
      priorityClassResource,
      name,
      `PriorityClass ${other.name} is already marked as default. Only one default can exist`,
    );
  }
}

/** An update that leaves the two fields out keeps what the stored pod has. */
function keepPriority(pod: KubeObject, old: KubeObject): void {
  const spec = specOf(pod);
  const stored = specOf(old);
  for (const name of ['priority', 'preemptionPolicy']) {
    if (spec[name] === undefined && stored[name] !== undefined) spec[name] = stored[name];
  }
}
