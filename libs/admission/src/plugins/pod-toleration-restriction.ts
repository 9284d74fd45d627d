import { newUnknownError, parseJson, type KubeObject } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { ensureRecord, records, type Plain } from '../fields.ts';
import { isBestEffort, isPod, podSpec } from '../pod-fields.ts';
import { addOrUpdateToleration, mergeTolerations, withinWhitelist } from '../tolerations.ts';

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const whitelistAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
const memoryPressure = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

export interface TolerationConfig {
  /** For namespaces without an annotation of their own. */
  readonly defaults?: readonly Plain[];
  readonly whitelist?: readonly Plain[];
}

function annotatedTolerations(namespace: KubeObject, annotation: string): Plain[] | undefined {
  const value = namespace.metadata.annotations?.[annotation];
  if (value === undefined) return undefined;
  if (value === '') return [];
  try {
    return records(parseJson(Buffer.from(value)));
  } catch (error) {
    throw newUnknownError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Pods of a namespace tolerate what its annotations say, and nothing beyond.
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
    const { operation, namespace, object } = attributes;
    if (!isPod(attributes) || object === undefined) return;
    const spec = ensureRecord(object, 'spec');
    const given = records(spec.tolerations);
    let tolerations = given;
    if (operation === 'CREATE') {
      const defaults = await this.#annotated(namespace, defaultsAnnotation);
      tolerations = mergeTolerations(given, defaults ?? this.#config.defaults ?? []);
    }
    if (!isBestEffort(spec)) tolerations = addOrUpdateToleration(tolerations, memoryPressure);
    if (tolerations.length > 0) spec.tolerations = structuredClone(tolerations);
    await this.validate(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes)) return;
    const tolerations = records(podSpec(attributes.object).tolerations);
    if (tolerations.length === 0) return;
    const whitelist = await this.#annotated(attributes.namespace, whitelistAnnotation);
    if (withinWhitelist(tolerations, whitelist ?? this.#config.whitelist ?? [])) return;
    throw forbidden(
      attributes,
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    );
  }

  async #annotated(name: string, annotation: string): Promise<Plain[] | undefined> {
    const namespace =
      (await this.#lookup.get(lookedUp.namespaces, '', name)) ??
      (await this.#lookup.live(lookedUp.namespaces, '', name));
    return namespace === undefined ? undefined : annotatedTolerations(namespace, annotation);
  }
}
