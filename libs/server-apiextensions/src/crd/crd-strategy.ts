import type { Strategy } from '@apichain/apiserver';
import {
  deepClone,
  deepEqual,
  field,
  nameIsDNSSubdomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
  exceedsMembers,
  newRequestEntityTooLarge,
  newTooManyMembers,
  type FieldError,
  type KubeObject,
} from '@apichain/meta';
import type { RequestContext } from '@apichain/request';
import { crdWarnings, validateCrdStatusUpdate, type CustomResourceDefinition, type CrdSpec } from '@apichain/schema';
import type { CrdChecks } from './crd-checks.ts';

/** Casts a decoded CustomResourceDefinition. The type table has checked its shape. */
export const asCrd = (object: KubeObject): CustomResourceDefinition => object as CustomResourceDefinition;

/** The strategy for writes of CustomResourceDefinitions. After k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition. */
export function crdStrategy(checks: CrdChecks): Strategy {
  return {
    namespaceScoped: false,
    validateName: nameIsDNSSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    async prepareForCreate(_ctx, object) {
      const crd = asCrd(object);
      checkSize(crd.spec, undefined);
      crd.status = {};
      crd.metadata.generation = 1;
      rememberStorageVersion(crd);
    },
    validate: (_ctx, object) => joined(validateMetadata(asCrd(object)), checks.validate(asCrd(object))),
    warningsOnCreate: (_ctx, object) => crdWarnings(asCrd(object)),
    async prepareForUpdate(_ctx, object, old) {
      const crd = asCrd(object);
      const before = asCrd(old);
      checkSize(crd.spec, before.spec);
      if (before.status === undefined) delete crd.status;
      else crd.status = deepClone(before.status);
      if (!deepEqual(crd.spec, before.spec)) crd.metadata.generation = (before.metadata.generation ?? 0) + 1;
      rememberStorageVersion(crd);
    },
    validateUpdate: (_ctx: RequestContext, object: KubeObject, old: KubeObject) =>
      joined(
        validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata'),
        checks.validate(asCrd(object), asCrd(old)),
      ),
    warningsOnUpdate: (_ctx, object, old) => crdWarnings(asCrd(object), asCrd(old)),
    resetFields: { 'apiextensions.k8s.io/v1': ['status'] },
    returnDeletedObject: true,
  };
}

/** The status endpoint keeps the spec and the identity in the metadata. */
export function crdStatusStrategy(strategy: Strategy): Strategy {
  return {
    namespaceScoped: strategy.namespaceScoped,
    validateName: strategy.validateName,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    prepareForUpdate(_ctx, object, old) {
      object.spec = old.spec;
    },
    validateUpdate: (_ctx, object, old) =>
      joined(
        validateObjectMetaUpdate(object.metadata, old.metadata, 'metadata'),
        validateCrdStatusUpdate(asCrd(object)),
      ),
    resetFields: { 'apiextensions.k8s.io/v1': ['spec'] },
  };
}

type Errors = readonly FieldError[];

/** The errors of the metadata, followed by all others, limited to `field.maxErrors`. */
function joined(ofMetadata: Errors, others: Errors | Promise<Errors>): FieldError[] | Promise<FieldError[]> {
  const join = (rest: Errors): FieldError[] => [...ofMetadata, ...rest].slice(0, field.maxErrors);
  return others instanceof Promise ? others.then(join) : join(others);
}

const requiredName = 'must be spec.names.plural+"."+spec.group';

function validateMetadata(crd: CustomResourceDefinition): FieldError[] {
  const expected = `${crd.spec?.names?.plural ?? ''}.${crd.spec?.group ?? ''}`;
  const validateName = (name: string, prefix: boolean): string[] => [
    ...nameIsDNSSubdomain(name, prefix),
    ...(name === expected ? [] : [requiredName]),
  ];
  return validateObjectMeta(crd.metadata, false, validateName, 'metadata');
}

/** Adds the storage version to storedVersions, because objects may be stored in it from now on. Only a status update removes a version. */
function rememberStorageVersion(crd: CustomResourceDefinition): void {
  const storage = crd.spec?.versions?.find((v) => v.storage);
  if (storage === undefined) return;
  const status = (crd.status ??= {});
  if (!(status.storedVersions ?? []).includes(storage.name))
    status.storedVersions = [...(status.storedVersions ?? []), storage.name];
}

/**
 * The limit of object members and list items of a definition, at all depths. Every service derives types, validations and documents from a
 * definition, in passes that hold its thread. The largest definitions in use have about 25,000.
 */
export const maxDefinitionMembers = 60_000;

/**
 * The limit of versions of a definition. Each version becomes a separate API, with an APIService and documents of discovery and OpenAPI. The
 * definitions in use have fewer than ten.
 */
export const maxDefinitionVersions = 100;

const versionCount = (spec: CrdSpec | undefined): number => spec?.versions?.length ?? 0;

/** Throws RequestEntityTooLarge for a definition that is too large. A larger definition that another program has stored may shrink. */
export function checkSize(spec: CrdSpec | undefined, before: CrdSpec | undefined): void {
  if (versionCount(spec) > maxDefinitionVersions && versionCount(spec) > versionCount(before))
    throw newRequestEntityTooLarge(`a CustomResourceDefinition may have at most ${maxDefinitionVersions} versions`);
  if (exceedsMembers(spec, before, maxDefinitionMembers))
    throw newTooManyMembers('a CustomResourceDefinition', maxDefinitionMembers);
}
