import type { KubeObject } from '@apichain/meta';
import { forgetEmptied, wasEmpty } from '@apichain/scheme';
import type { OpenGate } from '@apichain/kinds';
import { isRecord, isSet, type Plain } from '@apichain/kinds';

/**
 * Fields behind a feature gate. While the gate is disabled they are removed from an object, unless the stored object already uses one of them;
 * then all are kept. After the dropDisabledFields functions of k8s.io/kubernetes/pkg/api and pkg/registry.
 */
export interface GatedFields {
  /** With several gates, the fields need all of them. */
  readonly gate: string | readonly string[];
  /** Field names joined by dots. `*` is every element of a list and every value of a map, `a|b` is both a and b. */
  readonly paths: readonly string[];
  /** The paths at which the stored object is checked for use of the fields, if not `paths`. */
  readonly usedAt?: readonly string[];
  /** Whether a present value counts as used; by default every present value does. */
  readonly uses?: (value: unknown) => boolean;
  /** Which values are dropped; by default all. */
  readonly only?: (value: unknown) => boolean;
  /** Also removes the containing object when nothing else is left in it. */
  readonly withHolder?: boolean;
}

type Path = readonly (readonly string[])[];

interface Place {
  readonly holder: Plain;
  readonly name: string;
  readonly above?: { readonly holder: Plain; readonly name: string };
}

const parsePath = (path: string): Path => path.split('.').map((segment) => segment.split('|'));

const membersOf = (value: unknown, names: readonly string[]): readonly string[] =>
  names[0] === '*' ? Object.keys(value as object) : names;

/** Visits every place at the path that holds a value or was given as an empty collection, until `found` returns true. */
function visit(value: unknown, path: Path, found: (place: Place) => boolean, above?: Place, depth = 0): boolean {
  const names = path[depth];
  if (names === undefined || typeof value !== 'object' || value === null) return false;
  const holder = value as Plain;
  for (const name of membersOf(holder, names)) {
    const member = holder[name];
    const last = depth === path.length - 1;
    if (!isSet(member) && !(last && wasEmpty(holder, name))) continue;
    const place = { holder, name, above };
    if (last ? found(place) : visit(member, path, found, place, depth + 1)) return true;
  }
  return false;
}

const isEmpty = (value: unknown): boolean =>
  isRecord(value) ? Object.values(value).every((member) => !isSet(member)) : false;

function drop({ holder, name, above }: Place, fields: GatedFields): void {
  delete holder[name];
  forgetEmptied(holder, name);
  if (fields.withHolder === true && above !== undefined && isEmpty(holder)) delete above.holder[above.name];
}

/** A function that removes the fields of disabled gates from an object; undefined when all gates are enabled. */
export function gatedFieldsDropper(
  all: readonly GatedFields[],
  open: OpenGate,
): ((object: KubeObject, old: KubeObject | undefined) => void) | undefined {
  const closed = all
    .filter(({ gate }) => (typeof gate === 'string' ? !open(gate) : !gate.every(open)))
    .map((fields) => ({
      fields,
      paths: fields.paths.map(parsePath),
      usedAt: (fields.usedAt ?? fields.paths).map(parsePath),
    }));
  if (closed.length === 0) return undefined;
  return (object, old) => {
    for (const { fields, paths, usedAt } of closed) {
      const { uses = () => true, only = () => true } = fields;
      const places: Place[] = [];
      const note = (place: Place) => only(place.holder[place.name]) && places.push(place) < 0;
      for (const path of paths) visit(object, path, note);
      if (places.length === 0) continue;
      const isUsed = ({ holder, name }: Place) => isSet(holder[name]) && uses(holder[name]);
      const inUse = usedAt.some((path) => visit(old, path, isUsed));
      if (!inUse) for (const place of places) drop(place, fields);
    }
  };
}
