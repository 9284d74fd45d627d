import { isRecord, parseJson, records, type KubeObject } from '@apichain/meta';

type Plain = Readonly<Record<string, unknown>>;

const betaVersion = 'apiextensions.k8s.io/v1beta1';
const betaText = Buffer.from(`"apiVersion":"${betaVersion}"`);
/** Go writes kind and apiVersion within these first bytes. */
const headBytes = 128;

const present = (members: Plain): Plain =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));

/**
 * Reads a CustomResourceDefinition that kube-apiserver has stored in etcd, which is still done in v1beta1; undefined for any other value.
 * After k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
export function readBetaCrd(value: Buffer): KubeObject | undefined {
  if (value.subarray(0, headBytes).indexOf(betaText) < 0) return undefined;
  const crd = parseJson(value) as KubeObject;
  return { ...crd, apiVersion: 'apiextensions.k8s.io/v1', spec: specOf(isRecord(crd.spec) ? crd.spec : {}) };
}

function specOf(spec: Plain): Plain {
  const { version, versions, conversion, validation, subresources, preserveUnknownFields, ...rest } = spec;
  const { additionalPrinterColumns, selectableFields, ...kept } = rest;
  const named = typeof version === 'string' && version !== '' ? [{ name: version, served: true, storage: true }] : [];
  const given = records(versions);
  // Top-level members apply to each version.
  const common = present({ schema: validation, subresources, additionalPrinterColumns, selectableFields });
  return {
    ...kept,
    versions: (given.length === 0 ? named : given).map((each) => versionOf({ ...each, ...common })),
    ...(isRecord(conversion) ? { conversion: conversionOf(conversion) } : {}),
    ...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
  };
}

const versionOf = (version: Plain): Plain =>
  version['additionalPrinterColumns'] === undefined
    ? version
    : { ...version, additionalPrinterColumns: records(version['additionalPrinterColumns']).map(columnOf) };

const columnOf = ({ JSONPath: jsonPath, ...column }: Plain): Plain => ({ ...column, jsonPath: jsonPath ?? '' });

function conversionOf({ strategy, webhookClientConfig, conversionReviewVersions }: Plain): Plain {
  const webhook = present({ clientConfig: webhookClientConfig, conversionReviewVersions });
  return { strategy, ...(Object.keys(webhook).length === 0 ? {} : { webhook }) };
}
