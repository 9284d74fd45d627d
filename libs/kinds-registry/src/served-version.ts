import type { Deployment } from '@apichain/api/apps/v1';
import { type ResourceVersion, type Strategy, typedCodec } from '@apichain/apiserver';
import {
  deepClone,
  formatGroupVersion,
  type GroupVersion,
  type GroupVersionKind,
  type KubeObject,
  parseGroupVersion,
} from '@apichain/meta';
import { canonicalize, DecodeError, type Type } from '@apichain/scheme';
import {
  tableConvertor,
  carriedAnnotations as carriedByHpa,
  settleAnnotations,
  convertFromHub,
  convertToHub,
  requireType,
  defaulterFor,
  deprecationWarning,
  selectableFields,
  type BuiltinResource,
} from '@apichain/kinds';
import { showTemplateGeneration, templateGenerationAnnotation } from './strategies/workloads.ts';

/** A converted object in the form in which Go encodes it: zero values filled in, members in the order of the type. */
function inForm(object: KubeObject, type: Type): KubeObject {
  const { apiVersion, kind, metadata } = object;
  return { ...canonicalize(object, type), apiVersion, kind, metadata };
}

/** Fields of the internal version that a served version carries as annotations. Throws DecodeError for a value that is not an integer. */
const annotatedFields: Readonly<Record<string, (object: KubeObject) => void>> = {
  'autoscaling/v1 HorizontalPodAutoscaler': settleAnnotations,
  'apps/v1 DaemonSet': (daemonSet) => {
    checkInteger(daemonSet, templateGenerationAnnotation, '');
    showTemplateGeneration(daemonSet);
  },
  'apps/v1 Deployment': (deployment) => {
    const value = deployment.metadata.annotations?.[rollbackAnnotation];
    if (value === '') return;
    checkInteger(
      deployment,
      rollbackAnnotation,
      `failed to parse annotation[${rollbackAnnotation}]=${value} as int64: `,
    );
  },
};

const rollbackAnnotation = 'deprecated.deployment.rollback.to';
const maxInt64 = 2n ** 63n - 1n;

function checkInteger({ metadata }: KubeObject, annotation: string, context: string): void {
  const value = metadata.annotations?.[annotation];
  if (value === undefined) return;
  const number = /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (number !== undefined && number <= maxInt64 && number >= -maxInt64 - 1n) return;
  const problem = number === undefined ? 'invalid syntax' : 'value out of range';
  throw new DecodeError(`${context}strconv.ParseInt: parsing ${JSON.stringify(value)}: ${problem}`);
}

/** `replicas` is an integer in the internal version and a pointer in apps/v1, so an empty object gets a zero from the conversion. */
function showReplicas(blank: Deployment): void {
  blank.spec = { replicas: 0, ...blank.spec };
}

/** The internal fields that appear in empty objects. For the other kinds of 1.36 the internal fields are pointers too, or do not exist. */
const internalZeroes: Readonly<Record<string, (blank: KubeObject) => void>> = {
  DaemonSet: showTemplateGeneration,
  Deployment: showReplicas,
  ReplicaSet: showReplicas,
  StatefulSet: showReplicas,
};

/** Annotations that are fields of the internal version, by group and kind. */
const carriedAnnotations: Readonly<Record<string, readonly string[]>> = {
  'apps/v1 DaemonSet': [templateGenerationAnnotation],
  'apps/v1 Deployment': [rollbackAnnotation],
  'autoscaling/v1 HorizontalPodAutoscaler': carriedByHpa,
};

/** The effects of decoding a kind other than reading its fields: defaults, and additions of the conversion to the internal version. */
function readerEffects(kind: GroupVersionKind): ((object: KubeObject) => void) | undefined {
  const setDefaults = defaulterFor(kind);
  const annotated = annotatedFields[`${formatGroupVersion(kind)} ${kind.kind}`];
  if (annotated === undefined) return setDefaults;
  return (object) => {
    setDefaults?.(object);
    annotated(object);
  };
}

/** A stored resource in one of its served versions. `hub` is the storage version. */
export function versionOf(resource: BuiltinResource, hub: GroupVersion, strategy: Strategy): ResourceVersion {
  const { info } = resource;
  const { kind } = info;
  const type = requireType(kind);
  const hubKind = { ...hub, kind: kind.kind };
  const setDefaults = readerEffects(kind);
  const convert = (object: KubeObject, apiVersion: string): KubeObject => {
    const target = parseGroupVersion(apiVersion);
    const converted = convertFromHub(convertToHub(object, hub), target);
    return inForm(converted, requireType({ ...target, kind: kind.kind }));
  };
  const selectable = selectableFields(kind);
  const showZeroes = kind.group === 'apps' ? internalZeroes[kind.kind] : undefined;
  const carried = carriedAnnotations[`${formatGroupVersion(kind)} ${kind.kind}`];
  const sameAsHub = formatGroupVersion(kind) === formatGroupVersion(hub);
  const warning = deprecationWarning(kind);
  return {
    info,
    type,
    strategy,
    codec: typedCodec({
      kind,
      type,
      storageKind: hubKind,
      storageType: requireType(hubKind),
      convert,
      setDefaults,
      carriedAnnotations: carried,
      showZeroes,
    }),
    table: tableConvertor(
      kind.group,
      kind.kind,
      sameAsHub ? undefined : (object) => convertToHub(deepClone(object), hub),
    ),
    selectable,
    deprecationWarning: warning,
  };
}
