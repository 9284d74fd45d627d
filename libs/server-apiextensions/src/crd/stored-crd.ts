import { typedCodec } from '@apichain/apiserver';
import type { KubeObject } from '@apichain/meta';
import { hoistSpec, type CrdConversion, type CrdPrinterColumn, type CrdSpec } from '@apichain/schema';
import type { Field, Type } from '@apichain/scheme';
import type { StoredForm } from '@apichain/storage';
import { betaKind, isBetaCrd } from './beta-crd.ts';
import { asCrd } from './crd-strategy.ts';

/**
 * CustomResourceDefinitions in etcd: in v1beta1 as kube-apiserver stores them, because its older versions read no other. `type` is the type of v1.
 * After the conversions of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions.
 */
export function storedCrds(type: Type): StoredForm {
  const { encode } = typedCodec({ kind: betaKind, type: betaType(type) });
  // Go ends a document with a line feed.
  const encodeBeta = (object: KubeObject) =>
    Buffer.from(`${encode({ ...object, spec: betaSpec(asCrd(object).spec) })}\n`);
  return { encode: encodeBeta, has: isBetaCrd };
}

/** What all versions have in common is at the top level. */
function betaSpec({ conversion, preserveUnknownFields = false, ...spec }: CrdSpec) {
  const { versions, additionalPrinterColumns, ...common } = hoistSpec(spec);
  return {
    ...spec,
    ...common,
    ...(additionalPrinterColumns === undefined ? {} : { additionalPrinterColumns: columns(additionalPrinterColumns) }),
    versions: versions.map((version) =>
      version.additionalPrinterColumns
        ? { ...version, additionalPrinterColumns: columns(version.additionalPrinterColumns) }
        : version,
    ),
    ...(conversion ? { conversion: betaConversion(conversion) } : {}),
    preserveUnknownFields,
  };
}

const columns = (given: readonly CrdPrinterColumn[]) =>
  given.map(({ jsonPath, ...column }) => ({ ...column, JSONPath: jsonPath }));

const betaConversion = ({ strategy, webhook }: CrdConversion) => ({
  strategy,
  ...(webhook?.clientConfig ? { webhookClientConfig: webhook.clientConfig } : {}),
  ...(webhook?.conversionReviewVersions ? { conversionReviewVersions: webhook.conversionReviewVersions } : {}),
});

/** The type of v1beta1, made of the types of v1. The order of the fields is that of Go's types, which is the order in the store. */
function betaType(type: Type): Type {
  const spec = fieldOf(type, 'spec');
  const given = (name: string) => fieldOf(spec.type, name);
  const version = itemsOf(given('versions').type);
  const ofVersion = (name: string) => fieldOf(version, name);
  const column = itemsOf(ofVersion('additionalPrinterColumns').type);
  const printed = withFields(column, (column.fields ?? []).map(renamed('jsonPath', 'JSONPath')));
  const printerColumns = withType(ofVersion('additionalPrinterColumns'), {
    ...ofVersion('additionalPrinterColumns').type,
    items: printed,
  });
  const conversion = given('conversion');
  const webhook = fieldOf(conversion.type, 'webhook').type;
  const betaVersion = withFields(
    version,
    (version.fields ?? []).map((field) => (field.name === printerColumns.name ? printerColumns : field)),
  );
  const fields: Field[] = [
    given('group'),
    { name: 'version', type: { kind: 'string' }, omitempty: true },
    given('names'),
    given('scope'),
    { ...ofVersion('schema'), name: 'validation' },
    ofVersion('subresources'),
    { ...withType(given('versions'), { ...given('versions').type, items: betaVersion }), omitempty: true },
    printerColumns,
    ofVersion('selectableFields'),
    withType(
      conversion,
      withFields(conversion.type, [
        fieldOf(conversion.type, 'strategy'),
        { ...fieldOf(webhook, 'clientConfig'), name: 'webhookClientConfig' },
        { ...fieldOf(webhook, 'conversionReviewVersions'), omitempty: true },
      ]),
    ),
    { ...given('preserveUnknownFields'), pointer: true },
  ];
  const betaSpecField = withType(spec, withFields(spec.type, fields));
  return withFields(
    type,
    (type.fields ?? []).map((field) => (field.name === 'spec' ? betaSpecField : field)),
  );
}

function fieldOf(type: Type, name: string): Field {
  const field = type.byName?.get(name);
  if (field === undefined) throw new Error(`${type.name ?? 'a type'} has no field ${name}`);
  return field;
}

function itemsOf({ items, name = 'a list' }: Type): Type {
  if (items === undefined) throw new Error(`${name} has no items`);
  return items;
}

const withType = (field: Field, type: Type): Field => ({ ...field, type });
const withFields = (type: Type, fields: readonly Field[]): Type => ({
  ...type,
  fields,
  byName: new Map(fields.map((field) => [field.name, field])),
});
const renamed =
  (from: string, name: string) =>
  (field: Field): Field =>
    field.name === from ? { ...field, name } : field;
