import type { Work } from '@apichain/meta';
import { setOf, subtracting, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Never part of a set: identity and what the server writes. */
const strippedFields: FieldSet = setOf([
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', fieldElement(name)]),
]);

/**
 * The set without the fields that nobody owns. `metadata` itself is one of them, its other members are not.
 * Source: stripmeta.go of k8s.io/apimachinery/pkg/util/managedfields/internal.
 */
export const strippingMeta = (set: FieldSet): Work<FieldSet> => subtracting(set, strippedFields);
