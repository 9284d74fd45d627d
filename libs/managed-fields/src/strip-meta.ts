import { difference, setOf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Fields that are never owned: identity, and fields written by the server. */
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
 * The set without the fields that are never owned. `metadata` itself is one of them, but most of its members are not. Source: stripmeta.go of
 * k8s.io/apimachinery/pkg/util/managedfields/internal.
 */
export const stripMeta = (set: FieldSet): FieldSet => difference(set, strippedFields);
