import {
  deepClone,
  errorMessage,
  records,
  newUnknownError,
  parseJson,
  type KubeObject,
  oncePerObject,
} from '@apichain/meta';
import type { Toleration } from '@apichain/api/core/v1';
import { configurationStruct, decodeObject, optionalMember, type Type } from '@apichain/scheme';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isBestEffort, isPod, podSpec } from '../pod-fields.ts';
import { mergeTolerations, withinWhitelist } from '../tolerations.ts';

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const whitelistAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const memoryPressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

export interface TolerationConfig {
  /** The tolerations for namespaces without the annotation. */
  readonly defaults?: readonly Toleration[];
  readonly whitelist?: readonly Toleration[];
}

const text: Type = { kind: 'string' };
const annotationType = configurationStruct('', {
  list: {
    kind: 'array',
    items: configurationStruct('Toleration', {
      key: text,
      operator: text,
      value: text,
      effect: text,
      tolerationSeconds: optionalMember({ kind: 'integer', format: 'int64' }),
    }),
  },
});

const unreadable = (error: unknown) => newUnknownError(errorMessage(error));

const annotatedTolerations = oncePerObject((namespace: KubeObject) => {
  const read = (annotation: string): readonly Toleration[] | Error | undefined => {
    const value = namespace.metadata.annotations?.[annotation];
    if (value === undefined || value === '') return value === undefined ? undefined : [];
    try {
      const tolerations = parseJson(Buffer.from(value));
      decodeObject({ list: tolerations }, annotationType);
      return records(tolerations);
    } catch (error) {
      return unreadable(error);
    }
  };
  return { [defaultsAnnotation]: read(defaultsAnnotation), [whitelistAnnotation]: read(whitelistAnnotation) };
});

/**
 * Merges the default tolerations of a namespace into its pods, and rejects tolerations outside of its whitelist.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtolerationrestriction
 */
export class PodTolerationRestriction implements AdmissionPlugin {
  readonly name = 'PodTolerationRestriction';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #lookup: ObjectLookup;
  readonly #config: TolerationConfig;

  constructor(lookup: ObjectLookup, config: TolerationConfig = {}) {
    this.#lookup = lookup;
    this.#config = config;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes) || attributes.object === undefined) return;
    const { operation, namespace, object } = attributes;
    const spec = (object.spec ??= {});
    const defaults = operation === 'CREATE' ? await this.#defaults(namespace) : [];
    const extra = isBestEffort(spec) ? defaults : [...defaults, memoryPressure];
    if (extra.length > 0) spec.tolerations = deepClone(mergeTolerations(spec.tolerations ?? [], extra));
    await this.validate(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes)) return;
    const tolerations = podSpec(attributes.object).tolerations ?? [];
    if (tolerations.length === 0) return;
    const whitelist = await this.#annotated(attributes.namespace, whitelistAnnotation);
    if (withinWhitelist(tolerations, whitelist ?? this.#config.whitelist ?? [])) return;
    // As in kube-apiserver, this error is not a Forbidden.
    const scope = whitelist === undefined ? 'cluster' : 'namespace';
    throw newUnknownError(
      `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
    );
  }

  async #defaults(namespace: string): Promise<readonly Toleration[]> {
    return (await this.#annotated(namespace, defaultsAnnotation)) ?? this.#config.defaults ?? [];
  }

  async #annotated(
    name: string,
    annotation: typeof defaultsAnnotation | typeof whitelistAnnotation,
  ): Promise<readonly Toleration[] | undefined> {
    const namespace =
      (await this.#lookup.get(lookedUp.namespaces, '', name)) ??
      (await this.#lookup.live(lookedUp.namespaces, '', name));
    const annotated = namespace === undefined ? undefined : annotatedTolerations(namespace)[annotation];
    if (annotated instanceof Error) throw annotated;
    return annotated;
  }
}
