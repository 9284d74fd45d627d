import type { KubeObject } from '@apichain/meta';
import { forgetEmptied, wasEmpty } from '@apichain/scheme';
import type { OpenGate } from '@apichain/kinds';
import { isRecord, isSet, type Plain } from '@apichain/kinds';

/**
 * Fields behind a feature gate: while it is closed a new object loses them before anything else looks at it, and one that had one of them keeps
 * them all. After the dropDisabledFields functions of k8s.io/kubernetes/pkg/api and pkg/registry.
 */
export interface GatedFields {
  /** The fields need all of them where there are several. */
  readonly gate: string | readonly string[];
  /** Members with dots; `*` is every element of a list and every value of a map, `a|b` is a and b. */
  readonly paths: readonly string[];
  /** Where it is seen whether the stored object uses them, if not at `paths`. */
  readonly usedAt?: readonly string[];
  /** Whether a value that is there counts as used; one that is there when absent. */
  readonly uses?: (value: unknown) => boolean;
  /** Which values are dropped; every one when absent. */
  readonly only?: (value: unknown) => boolean;
  /** What held nothing but the field goes with it. */
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

/** Visits every place at the path that holds a value or was given as an empty collection, until one visit answers true. */
function visit(value: unknown, path: Path, found: (place: Place) => boolean, above?: Place, depth = 0): boolean {
  const names = path[depth];
  if (names === undefined || typeof value !== 'object' || value === null) return false;
  const holder = value as Plain;
  for (const name of membersOf(holder, names)) {
    const member = holder[name];
    const last = depth === path.length - 1;
    if (!isSet(member) && !(last && wasEmpty(holder, name))) continue;
    const place = { holder, name, ...(above === undefined ? {} : { above }) };
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

/** What takes the fields of closed gates out of an object; undefined when all are open. */
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
