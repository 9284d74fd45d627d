import { lookupTable, type FieldError, type KubeObject } from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import type { CustomResourceDefinition, CrdVersion } from '@apichain/schema';
import type { TObject } from 'typebox';
import type {
  ComputedEvent,
  ComputedResourceOptions,
  ConnectOptions,
  ObjectOf,
  OtherVersion,
  StoredResourceOptions,
} from './resource-options.ts';
import { structuralSchema } from './structural-schema.ts';

/** A conversion between two versions: the fields of the result beside apiVersion, kind and metadata. */
type ConvertFields = (object: KubeObject) => object;

/** The hooks of a stored resource, without the type of its objects. */
export interface StoredHooks {
  readonly prepareForCreate?: (object: KubeObject, ctx: RequestContext) => void | Promise<void>;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, ctx: RequestContext) => void | Promise<void>;
  readonly validate?: (object: KubeObject, ctx: RequestContext) => Errors;
  readonly validateUpdate?: (object: KubeObject, old: KubeObject, ctx: RequestContext) => Errors;
}
type Errors = readonly FieldError[] | Promise<readonly FieldError[]>;

/** The functions of a computed resource, without the type of its objects. */
export interface ComputedFunctions {
  readonly get?: (name: string, ctx: RequestContext) => Promise<object | undefined> | object | undefined;
  readonly list?: (ctx: RequestContext) => Promise<readonly object[]> | readonly object[];
  readonly watch?: (
    ctx: RequestContext,
  ) => AsyncIterable<{ readonly type: ComputedEvent<TObject>['type']; readonly object: object }>;
  readonly create?: (object: KubeObject, ctx: RequestContext) => Promise<object> | object;
  readonly connect: Readonly<Record<string, ConnectOptions>>;
}

/** What `defineResource` makes of its options: the input of `createApiServer`. */
export interface ResourceDefinition {
  /**
   * The resource as a CustomResourceDefinition would describe it: names, scope, and per version schema, columns, selectable fields and
   * subresources. Nothing is created from it in a cluster; `libs/custom-resources` reads it.
   */
  readonly crd: CustomResourceDefinition;
  /** Functions that set defaults, by version. */
  readonly defaults: Readonly<Record<string, (object: KubeObject) => void>>;
  /** Conversions of the versions other than the storage version. */
  readonly conversions: Readonly<
    Record<string, { readonly toStorage: ConvertFields; readonly fromStorage: ConvertFields }>
  >;
  readonly hooks: StoredHooks;
  /** Undefined = the objects are stored. */
  readonly computed?: ComputedFunctions;
}

/**
 * Defines a resource of an API server: its names, the schema of its objects, which gives them their TypeScript type, and either the hooks of
 * stored objects or the functions of computed ones. Throws Error for a schema that has no structural form.
 * `createApiServer` checks the rest, as a CustomResourceDefinition is checked.
 */
export function defineResource<S extends TObject, Others extends readonly TObject[] = []>(
  options: StoredResourceOptions<S, Others> | ComputedResourceOptions<S>,
): ResourceDefinition {
  return options.computed === undefined ? storedResource(options) : computedResource(options);
}

function storedResource<S extends TObject, Others extends readonly TObject[]>(
  options: StoredResourceOptions<S, Others>,
): ResourceDefinition {
  const others: readonly OtherVersion<TObject, S>[] = options.versions ?? [];
  const { prepareForCreate, prepareForUpdate, validate, validateUpdate } = options;
  const typed = (object: KubeObject) => object as ObjectOf<S>;
  return {
    crd: definitionOf(options, [
      crdVersion(options, options, true),
      ...others.map((one) => crdVersion(options, one, false)),
    ]),
    defaults: lookupTable(Object.fromEntries([...defaultsOf(options), ...others.flatMap((one) => defaultsOf(one))])),
    conversions: lookupTable(
      Object.fromEntries(
        others.map(({ version, toStorage, fromStorage }) => [
          version,
          {
            toStorage: (object: KubeObject) => toStorage(object as ObjectOf<TObject>),
            fromStorage: (object: KubeObject) => fromStorage(typed(object)),
          },
        ]),
      ),
    ),
    hooks: {
      ...(prepareForCreate === undefined
        ? {}
        : { prepareForCreate: (object, ctx) => prepareForCreate(typed(object), ctx) }),
      ...(prepareForUpdate === undefined
        ? {}
        : { prepareForUpdate: (object, old, ctx) => prepareForUpdate(typed(object), typed(old), ctx) }),
      ...(validate === undefined ? {} : { validate: (object, ctx) => validate(typed(object), ctx) }),
      ...(validateUpdate === undefined
        ? {}
        : { validateUpdate: (object, old, ctx) => validateUpdate(typed(object), typed(old), ctx) }),
    },
  };
}

function computedResource<S extends TObject>(options: ComputedResourceOptions<S>): ResourceDefinition {
  const { get, list, watch, create, connect = {} } = options.computed;
  return {
    crd: definitionOf(options, [crdVersion({}, options, true)]),
    defaults: lookupTable(Object.fromEntries(defaultsOf(options))),
    conversions: {},
    hooks: {},
    computed: {
      get,
      list,
      watch,
      ...(create === undefined ? {} : { create: (object, ctx) => create(object as ObjectOf<S>, ctx) }),
      connect,
    },
  };
}

type AnyOptions = Pick<
  StoredResourceOptions<TObject, []>,
  'group' | 'kind' | 'plural' | 'singular' | 'scope' | 'shortNames' | 'categories'
>;

function definitionOf(options: AnyOptions, versions: CrdVersion[]): CustomResourceDefinition {
  const { group, kind, plural, singular = kind.toLowerCase(), scope, shortNames = [], categories = [] } = options;
  const names = {
    ...{ plural, singular, kind, listKind: `${kind}List` },
    ...(shortNames.length === 0 ? {} : { shortNames: [...shortNames] }),
    ...(categories.length === 0 ? {} : { categories: [...categories] }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // An extension API server may serve any group, also those that the approval protects from definitions of users.
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, served by an extension API server' },
    },
    spec: { group, scope, names, versions, conversion: { strategy: 'None' } },
    status: { acceptedNames: names, storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name) },
  };
}

type AnyVersion = Pick<
  OtherVersion<TObject, TObject>,
  'version' | 'served' | 'schema' | 'columns' | 'selectableFields' | 'deprecated'
>;

function crdVersion(
  options: Pick<StoredResourceOptions<TObject, []>, 'status' | 'scale'>,
  version: AnyVersion,
  storage: boolean,
): CrdVersion {
  const { served = true, columns = [], selectableFields = [], deprecated = false } = version;
  const { status = false, scale } = options;
  return {
    name: version.version,
    served,
    storage,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema: { ...structuralSchema(version.schema), type: 'object' } },
    ...(status || scale !== undefined
      ? {
          subresources: {
            ...(status ? { status: {} } : {}),
            ...(scale === undefined ? {} : { scale: dotted(scale) }),
          },
        }
      : {}),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: [...columns] }),
    ...(selectableFields.length === 0
      ? {}
      : { selectableFields: selectableFields.map((path) => ({ jsonPath: withDot(path) })) }),
  };
}

const withDot = (path: string): string => (path.startsWith('.') ? path : `.${path}`);

const dotted = (paths: object): Record<string, string> =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, withDot(String(path))]));

/** The function that sets the defaults of a version, by the name of the version; empty if there is none. */
function defaultsOf<S extends TObject>({
  version,
  defaults,
}: {
  readonly version: string;
  readonly defaults?: (object: ObjectOf<S>) => void;
}): [string, (object: KubeObject) => void][] {
  return defaults === undefined ? [] : [[version, (object) => defaults(object as ObjectOf<S>)]];
}
