import type { WebhookClient } from '@apichain/admission';
import {
  convertingStorage,
  defineResource,
  storageVersionHash,
  StoredResource,
  type ApiResource,
  type DefinedResource,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceStorage,
  type ResourceVersion,
} from '@apichain/apiserver';
import {
  printerColumns,
  readStoredCbor,
  storedCbor,
  customCodec,
  selectableFields,
  customStatusStrategy,
  customStrategy,
  type CustomStrategyOptions,
  refreshingCodec,
  type VersionConverter,
  VersionSchema,
} from '@apichain/custom-resources';
import {
  compareVersions,
  deepEqual,
  formatGroupVersion,
  isSet,
  newServiceUnavailable,
  parseGroupVersion,
} from '@apichain/meta';
import {
  isConditionTrue,
  type CrdVersion,
  type CustomResourceDefinition,
  type ObjectMetaRules,
  type OpenApiResource,
  type RuleEvaluator,
} from '@apichain/schema';
import type { Type } from '@apichain/scheme';
import type { ConversionObserver } from '../conversion/conversion-metrics.ts';
import { asStored } from '../conversion/as-stored.ts';
import { WebhookConverter } from '../conversion/webhook-converter.ts';
import { customScale } from './scale-storage.ts';

export interface CustomResourceServices {
  readonly openStorage: ResourceDefinition['openStorage'];
  readonly metadata: ObjectMetaRules;
  readonly objectMeta: Type;
  readonly rules?: RuleEvaluator;
  /** Calls conversion webhooks. */
  readonly webhooks?: WebhookClient;
  readonly observeConversion?: ConversionObserver;
  /** Whether objects are written as CBOR. Both forms are read. */
  readonly storesCbor?: boolean;
  /** No conversion webhook is called: objects keep the version in which they are stored. */
  readonly keepsVersions?: boolean;
}

/** The verbs of custom resources, in the order of kube-apiserver. */
const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const terminatingVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** A CRD that is being served: its storages by version, and its discovery and OpenAPI data. Replaced when the CRD changes. */
export class CustomResource {
  readonly crd: CustomResourceDefinition;
  /** Discovery then lists only the verbs that are needed to delete the instances. */
  isTerminating: boolean;
  readonly #services: CustomResourceServices;
  readonly #schemas: ReadonlyMap<string, VersionSchema>;
  #defined: DefinedResource | undefined;
  #closed = false;
  #isPrepared = false;
  #preparing: Promise<void> | undefined;

  constructor(crd: CustomResourceDefinition, services: CustomResourceServices) {
    this.crd = crd;
    this.isTerminating = isConditionTrue(crd, 'Terminating');
    this.#services = services;
    const context = { ...services, preservesUnknownFields: crd.spec.preserveUnknownFields };
    this.#schemas = new Map(crd.spec.versions.map((version) => [version.name, new VersionSchema(version, context)]));
  }

  /** Must be awaited before the first use of the resource; undefined once prepared. Other requests run between the types of large schemas. */
  prepare(): Promise<void> | undefined {
    if (this.#isPrepared) return undefined;
    this.#preparing ??= this.#prepare();
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    for (const schema of this.#schemas.values()) await schema.prepare();
    this.#isPrepared = true;
  }

  /** Created on first use, because most CRDs of a cluster are never requested. */
  get defined(): DefinedResource {
    if (this.#closed) throw newServiceUnavailable('the custom resource definition has changed, please try again', 1);
    this.#defined ??= defineCustomResource(this.crd, this.#schemas, this.#services);
    return this.#defined;
  }

  /** Whether the CRD still matches what is being served. */
  serves(crd: CustomResourceDefinition): boolean {
    return (
      crd.metadata.uid === this.crd.metadata.uid &&
      deepEqual(crd.spec, this.crd.spec) &&
      deepEqual(crd.status?.acceptedNames, this.crd.status?.acceptedNames)
    );
  }

  get servedVersions(): readonly CrdVersion[] {
    return this.crd.spec.versions.filter((v) => v.served);
  }

  /** The storages to install for a served version. */
  storages(version: CrdVersion): readonly ResourceStorage[] {
    const all = this.defined.storagesOf({ group: this.crd.spec.group, version: version.name });
    return all.filter((s) => !s.path.endsWith('/status') || hasStatus(version));
  }

  /** The storage that lists and deletes instances, even when no version is served. */
  get instances(): StoredResource {
    for (const storages of this.defined.storages.values())
      for (const storage of storages) if (storage instanceof StoredResource) return storage;
    throw new Error(`${this.crd.metadata.name ?? ''} has no storage`);
  }

  apiResources(version: CrdVersion): ApiResource[] {
    const { group } = this.crd.spec;
    const names = this.crd.status?.acceptedNames ?? this.crd.spec.names;
    const { plural = '', singular = '', kind = '' } = names;
    const namespaced = this.crd.spec.scope === 'Namespaced';
    const resources: ApiResource[] = [
      {
        name: plural,
        singularName: singular,
        namespaced,
        kind,
        verbs: this.isTerminating ? terminatingVerbs : verbs,
        ...(names.shortNames?.length ? { shortNames: names.shortNames } : {}),
        ...(names.categories?.length ? { categories: names.categories } : {}),
        storageVersionHash: storageVersionHash({ group, version: storageVersionName(this.crd), kind }),
      },
    ];
    if (hasStatus(version))
      resources.push({ name: `${plural}/status`, singularName: '', namespaced, kind, verbs: subresourceVerbs });
    if (hasScale(version))
      resources.push({
        name: `${plural}/scale`,
        singularName: '',
        namespaced,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: subresourceVerbs,
      });
    return resources;
  }

  openApi(version: CrdVersion, scaleType: Type): OpenApiResource {
    const info = resourceInfo(this.crd, version);
    return {
      kind: info.kind,
      listKind: info.listKind,
      plural: info.plural,
      namespaced: info.namespaced,
      type: this.#schemas.get(version.name)?.type ?? { kind: 'object' },
      verbs,
      custom: true,
      subresources: [
        ...(!hasStatus(version) ? [] : [{ name: 'status', kind: info.kind, verbs: subresourceVerbs }]),
        ...(!hasScale(version)
          ? []
          : [
              {
                name: 'scale',
                kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                type: scaleType,
                verbs: subresourceVerbs,
              },
            ]),
      ],
      ...(version.selectableFields?.length
        ? { selectableFields: version.selectableFields.map((f) => (f.jsonPath ?? '').replace(/^\./, '')) }
        : {}),
    };
  }

  /** Ends the watches and the cache. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#defined?.storage.close();
  }
}

const hasStatus = (version: CrdVersion): boolean => isSet(version.subresources?.status);
const hasScale = (version: CrdVersion): boolean => isSet(version.subresources?.scale);

export const storageVersionName = (crd: CustomResourceDefinition): string =>
  crd.spec.versions.find((v) => v.storage)?.name ?? crd.spec.versions[0]?.name ?? '';

function resourceInfo(crd: CustomResourceDefinition, version: CrdVersion): ResourceInfo {
  const names = crd.status?.acceptedNames ?? crd.spec.names;
  return {
    kind: { group: crd.spec.group, version: version.name, kind: names.kind ?? '' },
    listKind: names.listKind ?? '',
    plural: names.plural ?? '',
    singular: names.singular ?? '',
    namespaced: crd.spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
  };
}

function defineCustomResource(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, VersionSchema>,
  services: CustomResourceServices,
): DefinedResource {
  const storage = storageVersionName(crd);
  const namespaced = crd.spec.scope === 'Namespaced';
  const kind = crd.spec.names.kind ?? '';
  const converter = webhookConverter(crd, services);
  const options: CustomStrategyOptions = {
    group: crd.spec.group,
    kind,
    namespaced,
    schemas,
    storageVersion: storage,
    metadata: services.metadata,
    converter,
  };
  const scales = Object.fromEntries(
    crd.spec.versions.map(({ name, subresources }) => [
      formatGroupVersion({ group: crd.spec.group, version: name }),
      subresources?.scale ?? null,
    ]),
  );
  const ordered = crd.spec.versions.filter((v) => v.served || v.storage);
  return defineResource({
    prefix: `/${crd.spec.group}/${crd.spec.names.plural ?? ''}`,
    openStorage: (open) => {
      const hub = { group: crd.spec.group, version: storage, kind };
      if (converter === undefined)
        return services.openStorage({ ...open, codec: refreshingCodec(open.codec, () => schemas.get(storage), hub) });
      // An object that was stored in another version keeps that version until it is converted.
      const codec = refreshingCodec(open.codec, (version) => schemas.get(version), undefined);
      return convertingStorage(services.openStorage({ ...open, codec }), formatGroupVersion(hub), async (objects) => {
        const converted = await converter.convert(objects, formatGroupVersion(hub));
        return converted.map(
          (object) => schemas.get(parseGroupVersion(object.apiVersion).version)?.fit(object) ?? object,
        );
      });
    },
    strategy: customStrategy(options),
    fromForeign: readStoredCbor,
    ...(services.storesCbor === true ? { storedForm: storedCbor } : {}),
    typesHaveChanged: crd.metadata.generation !== 1 || ordered.length > 1,
    ...(crd.spec.versions.some(hasStatus) ? { subresources: { status: customStatusStrategy(options) } } : {}),
    versions: ordered.map((version) => resourceVersion(crd, version, schemas, services, converter)),
    more: (store, version) => {
      const scale = schemas.get(version.info.kind.version)?.version.subresources?.scale;
      return scale === undefined || scale === null ? [] : [customScale(scale, scales, store, version)];
    },
  });
}

function resourceVersion(
  crd: CustomResourceDefinition,
  version: CrdVersion,
  schemas: ReadonlyMap<string, VersionSchema>,
  services: CustomResourceServices,
  converter: VersionConverter | undefined,
): ResourceVersion {
  const info = resourceInfo(crd, version);
  const schema = schemas.get(version.name);
  if (schema === undefined) throw new Error(`version ${version.name} has no schema`);
  return {
    info,
    type: schema.type,
    codec: customCodec({
      kind: info.kind,
      storageKind: { ...info.kind, version: storageVersionName(crd) },
      schemas,
      metadata: services.metadata,
      converter,
    }),
    table: printerColumns(version.additionalPrinterColumns),
    selectable: selectableFields(version.selectableFields, info.namespaced),
    ...(version.deprecated ? { deprecationWarning: deprecationWarning(crd, version) } : {}),
  };
}

/** The warning for clients of a deprecated version. It names the best version that is not deprecated. */
function deprecationWarning(crd: CustomResourceDefinition, version: CrdVersion): string {
  if (version.deprecationWarning !== undefined && version.deprecationWarning !== null)
    return version.deprecationWarning;
  const { group, names } = crd.spec;
  const name = (v: string) => `${formatGroupVersion({ group, version: v })} ${names.kind ?? ''}`;
  const [better] = crd.spec.versions
    .filter((v) => v.served && !v.deprecated && compareVersions(v.name, version.name) < 0)
    .map((v) => v.name)
    .sort(compareVersions);
  return `${name(version.name)} is deprecated${better === undefined ? '' : `; use ${name(better)}`}`;
}

function webhookConverter(
  crd: CustomResourceDefinition,
  { webhooks, observeConversion, keepsVersions = false }: CustomResourceServices,
): VersionConverter | undefined {
  if (crd.spec.conversion?.strategy !== 'Webhook') return undefined;
  if (keepsVersions) return asStored;
  if (webhooks === undefined) return undefined;
  return new WebhookConverter(crd, webhooks, observeConversion);
}
