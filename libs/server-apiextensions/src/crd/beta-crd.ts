import { formatGroupVersion, isRecord, parseJson, records, type KubeObject, type Plain } from '@apichain/meta';

/** The kind in the version in which kube-apiserver stores it. */
export const betaKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1beta1',
  kind: 'CustomResourceDefinition',
} as const;
const betaText = Buffer.from(`"apiVersion":"${formatGroupVersion(betaKind)}"`);
/** Go writes kind and apiVersion within these first bytes. */
const headBytes = 128;

const present = (members: Plain): Plain =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));

/** Whether a stored value is in v1beta1. */
export const isBetaCrd = (value: Buffer): boolean => value.subarray(0, headBytes).indexOf(betaText) >= 0;

/**
 * Reads a CustomResourceDefinition that is stored in v1beta1, the version of kube-apiserver; undefined for any other value.
 * After k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.
 */
export function readBetaCrd(value: Buffer): KubeObject | undefined {
  if (!isBetaCrd(value)) return undefined;
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
    conversion: isRecord(conversion) ? conversionOf(conversion) : { strategy: 'None' },
    // In v1beta1 the default is true.
    ...(preserveUnknownFields === false ? {} : { preserveUnknownFields: true }),
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
