import type { ReplicationController } from '@apichain/api/core/v1';
import type { LabelSelector } from '@apichain/api/meta/v1';
import type { ResourceDefinition } from '@apichain/apiserver';
import { labelsText, plainCodec, requireType, selectorText, tableConvertor } from '@apichain/kinds';
import type { KubeObject } from '@apichain/meta';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The selector in the Scale of an object of apps/v1; '' when the object has none or an invalid one. */
export const scaleSelector = ({ spec }: { readonly spec?: { readonly selector?: LabelSelector | null } }): string =>
  selectorText(spec?.selector, '', '');

/** The same for a ReplicationController, whose selector is a map of labels. */
export const labelsScaleSelector = ({ spec }: ReplicationController): string =>
  Object.keys(spec?.selector ?? {}).length === 0 ? '' : labelsText(spec?.selector);

/** The `scale` subresource of a resource, as autoscaling/v1. `selector` returns the selector as text. */
export const scaleDefinition = (
  selector: (object: KubeObject) => string,
): NonNullable<ResourceDefinition['scale']> => ({
  type: requireType(scaleKind),
  codec: plainCodec(scaleKind),
  table: tableConvertor(scaleKind.group, scaleKind.kind),
  specReplicasPath: 'spec.replicas',
  statusReplicasPath: 'status.replicas',
  selector,
});
