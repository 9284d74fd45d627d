import {
  selectionPredicate,
  type Getter,
  type Lister,
  type ListOptions,
  type ResourceInfo,
  type Result,
  type TableConvertor,
} from '@apichain/apiserver';
import { type RequestContext } from '@apichain/request';
import { deepClone, errorMessage, lookupTable, newNotFound, stringifyJson, type KubeObject } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import { metadataAttributes, type ObjectAttributes, type StoredList, type StoredObject } from '@apichain/storage';
import { requireType } from '@apichain/kinds';

/** Probes one component. Rejects with UnhealthyComponent when the component reports a problem, with another error when the probe fails. */
export type ComponentProbe = () => Promise<void>;

/** A component reports that it is unhealthy; the message is the reason. */
export class UnhealthyComponent extends Error {}

interface Condition {
  readonly type: 'Healthy';
  readonly status: 'True' | 'False';
  readonly message?: string;
  readonly error?: string;
}

function failed(error: unknown): Condition {
  const reason = errorMessage(error);
  const said = error instanceof UnhealthyComponent ? { message: reason } : { error: reason };
  return { type: 'Healthy', status: 'False', ...said };
}

class ProbedStatus implements StoredObject {
  readonly key: string;
  readonly revision = 0;
  readonly attributes: ObjectAttributes;
  readonly shapes = new Map<string, Buffer>();
  readonly json: Buffer;
  readonly #object: KubeObject;

  constructor(object: KubeObject) {
    this.#object = object;
    this.key = object.metadata.name ?? '';
    this.attributes = metadataAttributes(object);
    this.json = Buffer.from(stringifyJson(object));
  }
  parse(): KubeObject {
    return deepClone(this.#object);
  }
}

/** The deprecated componentstatuses. Nothing is stored; a read probes the components. */
export class ComponentStatusStorage implements Getter, Lister {
  readonly path = 'componentstatuses';
  readonly info: ResourceInfo;
  readonly type: Type;
  readonly table: TableConvertor;
  readonly deprecationWarning = 'v1 ComponentStatus is deprecated in v1.19+';
  readonly #probes: Readonly<Record<string, ComponentProbe>>;

  constructor(info: ResourceInfo, table: TableConvertor, probes: Readonly<Record<string, ComponentProbe>>) {
    this.info = info;
    this.type = requireType(info.kind);
    this.table = table;
    this.#probes = lookupTable(probes);
  }

  async get(_ctx: RequestContext, name: string): Promise<Result> {
    const probe = this.#probes[name];
    if (probe === undefined) throw newNotFound({ group: '', resource: 'componentstatus' }, name);
    return this.#ask(name, probe);
  }

  /** Probes every component, even those that the selector excludes. */
  async list(_ctx: RequestContext, options: ListOptions): Promise<StoredList> {
    const selected = selectionPredicate(options, {});
    const objects = await Promise.all(Object.entries(this.#probes).map(([name, probe]) => this.#ask(name, probe)));
    const items = objects.map((object) => new ProbedStatus(object));
    return { items: items.filter(({ attributes }) => selected.matches(attributes)), revision: 0 };
  }

  async #ask(name: string, probe: ComponentProbe): Promise<KubeObject> {
    const status = await probe().then((): Condition => ({ type: 'Healthy', status: 'True', message: 'ok' }), failed);
    return { apiVersion: 'v1', kind: 'ComponentStatus', metadata: { name }, conditions: [status] };
  }
}
