import {
  convertingStorage,
  defineResource as defineStoredResource,
  typedCodec,
  type DefinedResource,
  type ResourceDefinition as StoredDefinition,
} from '@apichain/apiserver';
import {
  at,
  customStatusStrategy,
  customStrategy,
  metadataRules,
  printerColumns,
  refreshingCodec,
  selectableFields,
  type CustomStrategyOptions,
} from '@apichain/custom-resources';
import { builtinTypes, tableConvertor } from '@apichain/kinds/model';
import { formatGroupVersion } from '@apichain/meta';
import type { CrdSubresources } from '@apichain/schema';
import type { ResourceDefinition } from './definition.ts';
import { FunctionConverter } from './function-converter.ts';
import { withHooks, type Fits } from './hooks.ts';
import { codecOf, compileSchemas, infoOf, storageVersionOf, type VersionSchemas } from './version-schemas.ts';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The storages of a stored resource, over the store that `openStorage` opens. Throws Error for an invalid definition. */
export function storedResource(
  definition: ResourceDefinition,
  openStorage: StoredDefinition['openStorage'],
): DefinedResource {
  const { crd } = definition;
  const schemas = compileSchemas(definition);
  const storageVersion = storageVersionOf(definition);
  const { group, names } = crd.spec;
  const { kind = '', plural = '' } = names;
  const hub = { group, version: storageVersion, kind };
  const converts = crd.spec.versions.length > 1;
  const converter = new FunctionConverter(definition, storageVersion);
  const options: CustomStrategyOptions = {
    ...{ group, kind, schemas, storageVersion },
    ...(converts ? { converter } : {}),
    namespaced: crd.spec.scope === 'Namespaced',
    metadata: metadataRules,
  };
  const [{ subresources } = {}] = crd.spec.versions;
  const fits: Fits = (ctx, object) =>
    ctx.requestInfo.apiVersion === storageVersion
      ? []
      : (schemas.get(storageVersion)?.validator.validate(object, '') ?? []);
  return defineStoredResource({
    prefix: `/${group}/${plural}`,
    openStorage: (open) => {
      // An earlier release of the server may have stored objects in another version.
      const codec = refreshingCodec(open.codec, (version) => schemas.get(version), undefined);
      return convertingStorage(openStorage({ ...open, codec }), formatGroupVersion(hub), async (objects) => {
        const converted = await converter.convert(objects, formatGroupVersion(hub));
        return converted.map((object) => schemas.get(storageVersion)?.fit(object) ?? object);
      });
    },
    strategy: withHooks(customStrategy(options), definition.hooks, fits),
    typesHaveChanged: true,
    ...(subresources?.status === undefined ? {} : { subresources: { status: customStatusStrategy(options) } }),
    ...(subresources?.scale === undefined ? {} : { scale: scaleDefinition(subresources.scale) }),
    versions: versionsOf(definition, schemas, converts ? converter : undefined),
  });
}

function versionsOf(
  definition: ResourceDefinition,
  schemas: VersionSchemas,
  converter: FunctionConverter | undefined,
): StoredDefinition['versions'] {
  return definition.crd.spec.versions.map((version) => {
    const info = infoOf(definition, version);
    const type = schemas.get(version.name)?.type;
    if (type === undefined) throw new Error(`version ${version.name} has no schema`);
    const warning = deprecationWarning(definition, version.name);
    return {
      info,
      type,
      codec: codecOf(definition, version, schemas, converter),
      table: printerColumns(version.additionalPrinterColumns),
      selectable: selectableFields(version.selectableFields, info.namespaced),
      deprecationWarning: warning,
    };
  });
}

/** The warning for clients of a deprecated version. Without a text of its own it names a served version that is not deprecated, if there is one. */
function deprecationWarning({ crd }: ResourceDefinition, name: string): string | undefined {
  const { group, names, versions } = crd.spec;
  const version = versions.find((one) => one.name === name);
  if (version?.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const shown = (of: string) => `${formatGroupVersion({ group, version: of })} ${names.kind ?? ''}`;
  const better = versions.find(({ served, deprecated }) => served && deprecated !== true);
  return `${shown(name)} is deprecated${better === undefined ? '' : `; use ${shown(better.name)}`}`;
}

function scaleDefinition(paths: NonNullable<CrdSubresources['scale']>): NonNullable<StoredDefinition['scale']> {
  const type = builtinTypes.type('autoscaling.v1.Scale');
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath } = paths;
  return {
    type,
    codec: typedCodec({ kind: scaleKind, type }),
    table: tableConvertor(scaleKind.group, scaleKind.kind),
    specReplicasPath: specReplicasPath.slice(1),
    statusReplicasPath: statusReplicasPath.slice(1),
    ...(labelSelectorPath === undefined
      ? {}
      : {
          selector: (object) => {
            const selector = at(object, labelSelectorPath);
            return typeof selector === 'string' ? selector : '';
          },
        }),
  };
}
