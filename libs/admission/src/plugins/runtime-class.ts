import { goQuote } from '@apichain/go-text';
import { deepClone, isValidPathSegmentName, newUnknownError, isSet } from '@apichain/meta';
import type { RuntimeClass as NodeRuntimeClass, Scheduling } from '@apichain/api/node/v1';
import type { ResourceList, PodSpec } from '@apichain/api/core/v1';
import { wasEmpty } from '@apichain/scheme';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isPod } from '../pod-fields.ts';
import { readResourceList, sameAmounts } from '../resource-list.ts';
import { mergeTolerations } from '../tolerations.ts';

/**
 * Copies the overhead and the scheduling constraints of a pod's runtime class to the pod.
 * https://kubernetes.io/docs/concepts/containers/runtime-class/
 */
export class RuntimeClass implements AdmissionPlugin {
  readonly name = 'RuntimeClass';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;

  constructor(lookup: ObjectLookup) {
    this.#lookup = lookup;
  }

  admit(attributes: AdmissionAttributes): Promise<void> | void {
    if (!isPod(attributes) || attributes.object === undefined) return undefined;
    const { object } = attributes;
    const spec = (object.spec ??= {});
    return isSet(spec.runtimeClassName) ? this.#complete(attributes, spec) : undefined;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes) || attributes.object === undefined) return;
    const { object } = attributes;
    const spec = object.spec ?? {};
    const overhead = isSet(spec.runtimeClassName) ? fixedOverhead(await this.#classOf(attributes, spec)) : undefined;
    if (overhead !== undefined) {
      expectSameOverhead(attributes, spec, overhead);
    } else if (isSet(spec.overhead) || wasEmpty(spec, 'overhead')) {
      throw forbidden(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }
  }

  async #complete(attributes: AdmissionAttributes, spec: PodSpec): Promise<void> {
    const runtimeClass = await this.#classOf(attributes, spec);
    const overhead = fixedOverhead(runtimeClass);
    if (overhead !== undefined) {
      if (isSet(spec.overhead)) expectSameOverhead(attributes, spec, overhead);
      spec.overhead = { ...overhead };
    }
    if (isSet(runtimeClass.scheduling)) setScheduling(attributes, spec, runtimeClass.scheduling);
  }

  async #classOf(attributes: AdmissionAttributes, spec: PodSpec): Promise<NodeRuntimeClass> {
    const name = spec.runtimeClassName ?? '';
    if (name === '') throw newUnknownError('resource name may not be empty');
    const problems = isValidPathSegmentName(name);
    if (problems.length > 0) throw newUnknownError(`invalid resource name ${goQuote(name)}: [${problems.join(' ')}]`);
    const found =
      (await this.#lookup.get(lookedUp.runtimeClasses, '', name)) ??
      (await this.#lookup.live(lookedUp.runtimeClasses, '', name));
    if (found !== undefined) return found;
    throw forbidden(attributes, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
  }
}

const fixedOverhead = ({ overhead }: NodeRuntimeClass): ResourceList | undefined =>
  isSet(overhead) ? (overhead.podFixed ?? {}) : undefined;

function expectSameOverhead(attributes: AdmissionAttributes, spec: PodSpec, overhead: ResourceList): void {
  if (sameAmounts(readResourceList(spec.overhead), readResourceList(overhead))) return;
  throw forbidden(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function setScheduling(attributes: AdmissionAttributes, spec: PodSpec, scheduling: Scheduling): void {
  const given = spec.nodeSelector ?? {};
  const added = scheduling.nodeSelector ?? {};
  for (const [key, value] of Object.entries(added)) {
    if (!Object.hasOwn(given, key) || given[key] === value) continue;
    throw forbidden(
      attributes,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value ?? ''}; pod.spec.nodeSelector[${key}] = ${given[key] ?? ''}`,
    );
  }
  const nodeSelector = { ...given, ...added };
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = nodeSelector;
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (tolerations.length > 0) spec.tolerations = deepClone(tolerations);
}
