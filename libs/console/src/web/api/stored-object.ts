/** The fields of objects that the page reads. An object of a watch may lack any of them. */
export interface StoredObject {
  readonly metadata: ObjectMeta;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly [field: string]: unknown;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: unknown;
  readonly ownerReferences?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
  }[];
}

/** Members of an object, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;

const nothing: Fields = {};

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : nothing;

export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A number; `missing` when the field is absent. */
export const count = (value: unknown, missing = 0): number => (typeof value === 'number' ? value : missing);

/** https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export const conditionsOf = (status: Fields | undefined): readonly Condition[] =>
  list(status?.['conditions']).map(({ type, status: is, reason, message }) => ({
    ...{ type: text(type), status: text(is), reason: text(reason), message: text(message) },
  }));

export const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** Within one kind: `shop/web`, `/node-1`. */
export const keyOf = ({ metadata: { namespace = '', name } }: StoredObject): string => `${namespace}/${name}`;

/** Whether an object has a controller, of this kind if one is given. */
export const isOfController = ({ ownerReferences = [] }: ObjectMeta, kind?: string): boolean =>
  ownerReferences.some((owner) => owner.controller === true && (kind === undefined || owner.kind === kind));

/** The uid of the controller of an object; empty when it has none. */
export const controllerUidOf = ({ ownerReferences = [] }: ObjectMeta): string =>
  ownerReferences.find(({ controller }) => controller === true)?.uid ?? '';
