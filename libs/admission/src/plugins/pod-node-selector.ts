import type { Pod } from '@apichain/api/core/v1';
import {
  field,
  isQualifiedName,
  isValidLabelValue,
  newUnknownError,
  type KubeObject,
  oncePerObject,
} from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import { lookedUp, type ObjectLookup } from '../object-lookup.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';
import { isPod, podSpec } from '../pod-fields.ts';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';

export interface NodeSelectorConfig {
  /** The selector for namespaces without the annotation. */
  readonly clusterDefaultNodeSelector?: string;
  /** The node labels that the pods of a namespace may select, by namespace. */
  readonly whitelists?: Readonly<Record<string, string>>;
}

/** A selector that cannot be parsed. The error is thrown when the selector is used, and has no reason. */
class UnreadableSelector {
  readonly #message: string;
  constructor(message: string) {
    this.#message = message;
  }
  toError = () => newUnknownError(this.#message);
}
type Selector = Readonly<Record<string, string>>;

/** `a=b,c=d`. Source: ConvertSelectorToLabelsMap of k8s.io/apimachinery/pkg/labels. */
function parseSelector(selector: string): Selector | UnreadableSelector {
  const labels: Record<string, string> = {};
  for (const part of selector === '' ? [] : selector.split(',')) {
    const sides = part.split('=');
    const [key = '', value = ''] = sides.map((side) => side.trim());
    if (sides.length !== 2) return new UnreadableSelector(`invalid selector: [${sides.join(' ')}]`);
    const problem = labelProblem(key, value);
    if (problem !== undefined) return new UnreadableSelector(problem);
    labels[key] = value;
  }
  return labels;
}

function labelProblem(key: string, value: string): string | undefined {
  const ofKey = isQualifiedName(key);
  if (ofKey.length > 0) return field.aggregateFieldErrors([field.invalid('<nil>', key, ofKey.join('; '))]);
  const ofValue = isValidLabelValue(value);
  return ofValue.length > 0
    ? field.aggregateFieldErrors([field.invalid(`[${key}]`, value, ofValue.join('; '))])
    : undefined;
}

function readable(selector: Selector | UnreadableSelector): Selector {
  if (selector instanceof UnreadableSelector) throw selector.toError();
  return selector;
}

const annotated = oncePerObject((namespace: KubeObject) => {
  const selector = namespace.metadata.annotations?.[annotation];
  return selector === undefined ? undefined : parseSelector(selector);
});

/** Whether no label has different values in both. */
const agree = (a: Selector, b: Selector): boolean =>
  Object.entries(a).every(([key, value]) => !Object.hasOwn(b, key) || b[key] === value);

/**
 * Merges the node selector of the namespace's annotation into its pods.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podnodeselector
 */
export class PodNodeSelector implements AdmissionPlugin {
  readonly name = 'PodNodeSelector';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE']);
  readonly #lookup: ObjectLookup;
  readonly #default: Selector | UnreadableSelector;
  readonly #whitelists: ReadonlyMap<string, Selector | UnreadableSelector>;

  constructor(lookup: ObjectLookup, config: NodeSelectorConfig = {}) {
    this.#lookup = lookup;
    this.#default = parseSelector(config.clusterDefaultNodeSelector ?? '');
    this.#whitelists = new Map(
      Object.entries(config.whitelists ?? {}).map(([namespace, selector]) => [namespace, parseSelector(selector)]),
    );
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes) || attributes.object === undefined) return;
    const { object } = attributes;
    const selector = await this.#selectorOf(attributes.namespace);
    const spec = (object.spec ??= {});
    const given = spec.nodeSelector ?? {};
    if (!agree(selector, given)) throw conflict(attributes);
    if (Object.keys(selector).length > 0) spec.nodeSelector = { ...given, ...selector };
    this.#checkWhitelist(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (!isPod(attributes)) return;
    const selector = await this.#selectorOf(attributes.namespace);
    if (!agree(selector, podSpec(attributes.object).nodeSelector ?? {})) throw conflict(attributes);
    this.#checkWhitelist(attributes);
  }

  #checkWhitelist(attributes: AdmissionAttributes<Pod>): void {
    const allowed = readable(this.#whitelists.get(attributes.namespace) ?? {});
    if (Object.keys(allowed).length === 0) return;
    const selected = Object.entries(podSpec(attributes.object).nodeSelector ?? {});
    if (selected.every(([key, value]) => allowed[key] === value)) return;
    throw forbidden(attributes, 'pod node label selector labels conflict with its namespace whitelist');
  }

  async #selectorOf(name: string): Promise<Selector> {
    const namespace =
      (await this.#lookup.get(lookedUp.namespaces, '', name)) ??
      (await this.#lookup.live(lookedUp.namespaces, '', name));
    return readable((namespace === undefined ? undefined : annotated(namespace)) ?? this.#default);
  }
}

const conflict = (attributes: AdmissionAttributes) =>
  forbidden(attributes, 'pod node label selector conflicts with its namespace node label selector');
