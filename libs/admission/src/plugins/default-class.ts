import type { KubeObject } from '@apichain/meta';

/** The class that an annotation marks as the default. Among several, the newest; at the same age, the first by name. */
export function defaultClass(classes: readonly KubeObject[], annotations: readonly string[]): KubeObject | undefined {
  const isDefault = ({ metadata }: KubeObject) =>
    annotations.some((annotation) => metadata.annotations?.[annotation] === 'true');
  const created = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  return classes.filter(isDefault).toSorted((a, b) => {
    if (created(a) !== created(b)) return created(a) > created(b) ? -1 : 1;
    return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
  })[0];
}
