import { deepEqual } from '@apichain/meta';
import { integer, text, type Plain } from './fields.ts';

/** Whether everything that `t` tolerates, `superset` tolerates too. */
function covers(superset: Plain, t: Plain): boolean {
  if (deepEqual(superset, t)) return true;
  if (text(superset.key) !== '' && text(superset.key) !== text(t.key)) return false;
  if (text(superset.effect) !== '' && text(superset.effect) !== text(t.effect)) return false;
  if (text(superset.effect) === 'NoExecute' && !lastsAsLong(superset, t)) return false;
  switch (text(superset.operator)) {
    case '':
    case 'Equal':
      return text(t.operator) === 'Equal' && text(t.value) === text(superset.value);
    case 'Exists':
      return true;
    default:
      return false;
  }
}

function lastsAsLong(superset: Plain, t: Plain): boolean {
  const longest = integer(superset.tolerationSeconds);
  if (longest === undefined) return true;
  const wanted = integer(t.tolerationSeconds);
  return wanted !== undefined && wanted <= longest;
}

/** Both lists as one, without what another toleration of it covers. Source: MergeTolerations of k8s.io/kubernetes/pkg/util/tolerations. */
export function mergeTolerations(first: readonly Plain[], second: readonly Plain[]): Plain[] {
  const all = [...first, ...second];
  const merged: Plain[] = [];
  all.forEach((toleration, position) => {
    const redundant =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(position + 1).some((other) => covers(other, toleration) && !deepEqual(other, toleration));
    if (!redundant) merged.push(toleration);
  });
  return merged;
}

/** Whether each of the tolerations is covered by one of the list. An empty list allows everything. */
export const withinWhitelist = (tolerations: readonly Plain[], whitelist: readonly Plain[]): boolean =>
  whitelist.length === 0 || tolerations.every((t) => whitelist.some((allowed) => covers(allowed, t)));

/** Adds the toleration, or puts it in the place of the one for the same key, effect and value. */
export function addOrUpdateToleration(tolerations: readonly Plain[], toleration: Plain): Plain[] {
  const isSame = (other: Plain) =>
    ['key', 'operator', 'value', 'effect'].every((name) => text(other[name]) === text(toleration[name]));
  return tolerations.some(isSame)
    ? tolerations.map((other) => (isSame(other) ? toleration : other))
    : [...tolerations, toleration];
}
