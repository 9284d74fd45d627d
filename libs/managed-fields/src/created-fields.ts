import type { KubeObject } from '@apichain/meta';
import { toFieldsV1, difference, setOf, type FieldSet } from './field-set.ts';
import { noManagers } from './managed.ts';
import { removeObjectManagedFields } from './object-managed-fields.ts';
import { fieldElement } from './path-element.ts';
import type { StructuredMerge } from './structured-merge.ts';

/** The number of outlines cached for each endpoint. */
const maxOutlines = 64;

/**
 * The fields that the creator of an object owns. Most objects of a kind are similar, so sets are cached by the outline of the object, which costs a
 * fraction of computing the set.
 */
export class CreatedFields {
  readonly #merge: StructuredMerge;
  readonly #byOutline = new Map<string, FieldSet>();

  constructor(merge: StructuredMerge) {
    this.#merge = merge;
  }

  /** The set of owned fields, in the order in which it is written. */
  async of(created: KubeObject): Promise<FieldSet> {
    const object = removeObjectManagedFields(created);
    const outline = this.#merge.outlineOf(object);
    const known = outline === undefined ? undefined : this.#byOutline.get(outline);
    if (known !== undefined) return known;
    const { changed } = await this.#merge.update(this.#merge.emptyObject, object, noManagers);
    const fields = toFieldsV1(stripMeta(changed));
    if (outline !== undefined) this.#remember(outline, fields);
    return fields;
  }

  #remember(outline: string, fields: FieldSet): void {
    if (this.#byOutline.size >= maxOutlines) this.#byOutline.clear();
    this.#byOutline.set(outline, fields);
  }
}

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
