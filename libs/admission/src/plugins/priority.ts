import type { PriorityClass } from '@apichain/api/scheduling/v1';
import type { PodSpec } from '@apichain/api/core/v1';
import { errorMessage, newUnknownError, isSet, oncePerObject } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isPod, podSpec } from '../pod-fields.ts';

interface ResolvedClass {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string;
  readonly globalDefault: boolean;
}
const withoutClass: ResolvedClass = {
  name: '',
  value: 0,
  preemptionPolicy: 'PreemptLowerPriority',
  globalDefault: false,
};

const resolve = oncePerObject((priorityClass: PriorityClass): ResolvedClass => ({
  name: priorityClass.metadata.name ?? '',
  value: priorityClass.value ?? 0,
  preemptionPolicy: priorityClass.preemptionPolicy ?? '',
  globalDefault: priorityClass.globalDefault === true,
}));

/**
 * Sets the priority of a pod from its priority class, and allows only one default class.
 * https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
export class Priority implements AdmissionPlugin {
  readonly name = 'Priority';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE', 'DELETE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    if (!isPod(attributes) || attributes.object === undefined) return undefined;
    const { operation, object, oldObject } = attributes;
    if (operation === 'CREATE') return this.#admitPod(attributes, (object.spec ??= {}));
    if (operation === 'UPDATE') keepResolved((object.spec ??= {}), podSpec(oldObject));
    return undefined;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, operation, object } = attributes;
    if (resource.group !== lookedUp.priorityClasses.group || resource.resource !== 'priorityclasses') return;
    if (subresource !== '' || operation === 'DELETE' || object?.globalDefault !== true) return;
    const present = await this.#defaultClass();
    if (present === undefined || (operation === 'UPDATE' && present.name === object.metadata.name)) return;
    throw forbidden(
      attributes,
      `PriorityClass ${present.name} is already marked as default. Only one default can exist`,
    );
  }

  async #admitPod(attributes: AdmissionAttributes, spec: PodSpec): Promise<void> {
    const { name, value, preemptionPolicy } = await this.#classOf(attributes, spec.priorityClassName ?? '');
    if (name !== '') spec.priorityClassName = name;
    const priority = spec.priority;
    if (priority !== undefined && priority !== value) {
      throw forbidden(
        attributes,
        `the integer value of priority (${priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    spec.priority = value;
    if (preemptionPolicy === '') return;
    if (isSet(spec.preemptionPolicy) && spec.preemptionPolicy !== preemptionPolicy) {
      throw forbidden(
        attributes,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy ?? ''}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
      );
    }
    spec.preemptionPolicy = preemptionPolicy;
  }

  async #classOf(attributes: AdmissionAttributes, name: string): Promise<ResolvedClass> {
    if (name === '') return (await this.#defaultClass()) ?? withoutClass;
    const found = await this.#lookup.get(lookedUp.priorityClasses, '', name);
    if (found === undefined) throw forbidden(attributes, `no PriorityClass with name ${name} was found`);
    return resolve(found);
  }

  /** If there are several default classes nevertheless, the one with the lowest value. */
  async #defaultClass(): Promise<ResolvedClass | undefined> {
    let least: ResolvedClass | undefined;
    for (const object of await this.#lookup.list(lookedUp.priorityClasses, '').catch(failedDefault)) {
      const candidate = resolve(object);
      if (candidate.globalDefault && (least === undefined || candidate.value < least.value)) least = candidate;
    }
    return least;
  }
}

/** A client that omits the values set when the pod was created does not intend to change them. */
function keepResolved(spec: PodSpec, old: PodSpec): void {
  if (!isSet(spec.priority) && isSet(old.priority)) spec.priority = old.priority;
  if (!isSet(spec.preemptionPolicy) && isSet(old.preemptionPolicy)) spec.preemptionPolicy = old.preemptionPolicy;
}

function failedDefault(error: unknown): never {
  throw newUnknownError(`failed to get default priority class: ${errorMessage(error)}`);
}
