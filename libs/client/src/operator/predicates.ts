import { deepEqual, labelSelectorFromObject, type KubeObject, type LabelSelectorObject } from '@apichain/meta';

/**
 * Which events of a source lead to a reconcile: those for which its functions return true. An absent function lets all pass. As in controller-runtime
 * (pkg/predicate).
 */
export interface Predicate<Kind extends KubeObject = KubeObject> {
  /** An object was created, or exists when the controller starts. */
  create?(object: Kind): boolean;
  update?(object: Kind, old: Kind): boolean;
  delete?(object: Kind): boolean;
}

/** Updates that change the spec. The generation of kinds without one, such as ConfigMaps, does not change. */
export const generationChanged: Predicate = {
  update: (object, old) => object.metadata.generation !== old.metadata.generation,
};

/** Updates that change labels. */
export const labelChanged: Predicate = {
  update: (object, old) => !deepEqual(object.metadata.labels, old.metadata.labels),
};

/** Updates that change annotations. */
export const annotationChanged: Predicate = {
  update: (object, old) => !deepEqual(object.metadata.annotations, old.metadata.annotations),
};

/** All events of objects for which a function returns true, of an update by its new state. */
export const objects = <Kind extends KubeObject>(accepts: (object: Kind) => boolean): Predicate<Kind> => ({
  create: accepts,
  update: accepts,
  delete: accepts,
});

/** All events of objects whose labels a selector matches. Throws SelectorError for a selector that is none. */
export function labelSelector(selector: LabelSelectorObject): Predicate {
  const parsed = labelSelectorFromObject(selector);
  return objects(({ metadata }) => parsed.matches(metadata.labels));
}

const creates = <Kind extends KubeObject>(predicate: Predicate<Kind>, object: Kind) =>
  predicate.create?.(object) ?? true;
const updates = <Kind extends KubeObject>(predicate: Predicate<Kind>, object: Kind, old: Kind) =>
  predicate.update?.(object, old) ?? true;
const deletes = <Kind extends KubeObject>(predicate: Predicate<Kind>, object: Kind) =>
  predicate.delete?.(object) ?? true;

/** Events that all of the predicates let pass. */
export const and = <Kind extends KubeObject>(...predicates: readonly Predicate<Kind>[]): Required<Predicate<Kind>> => ({
  create: (object) => predicates.every((predicate) => creates(predicate, object)),
  update: (object, old) => predicates.every((predicate) => updates(predicate, object, old)),
  delete: (object) => predicates.every((predicate) => deletes(predicate, object)),
});

/** Events that one of the predicates lets pass. */
export const or = <Kind extends KubeObject>(...predicates: readonly Predicate<Kind>[]): Required<Predicate<Kind>> => ({
  create: (object) => predicates.some((predicate) => creates(predicate, object)),
  update: (object, old) => predicates.some((predicate) => updates(predicate, object, old)),
  delete: (object) => predicates.some((predicate) => deletes(predicate, object)),
});

/** Events that the predicate does not let pass. */
export const not = <Kind extends KubeObject>(predicate: Predicate<Kind>): Required<Predicate<Kind>> => ({
  create: (object) => !creates(predicate, object),
  update: (object, old) => !updates(predicate, object, old),
  delete: (object) => !deletes(predicate, object),
});
