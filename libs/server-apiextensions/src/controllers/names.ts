import { goQuote } from '@apichain/go-text';
import {
  findCondition,
  type CrdNames,
  type CustomResourceDefinition,
  caBundleProblem,
  isConditionTrue,
} from '@apichain/schema';
import { deepEqual } from '@apichain/meta';
import { condition, sameCondition, setCondition } from '../crd/conditions.ts';

interface UsedNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** The accepted names of all CRDs of the group, including this one: its own plural is not available as a short name. */
function usedNames(crd: CustomResourceDefinition, all: Iterable<CustomResourceDefinition>): UsedNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const ofGroup = [...all].filter((other) => other.spec.group === crd.spec.group);
  for (const other of [...ofGroup.filter((other) => other.metadata.name !== crd.metadata.name), crd]) {
    const names = other.status?.acceptedNames ?? {};
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

const conflict = (requested: string, accepted: string | undefined, used: ReadonlySet<string>): string | undefined =>
  requested === (accepted ?? '') || !used.has(requested) ? undefined : `${goQuote(requested)} is already in use`;

const single = [
  ['plural', 'resources', 'PluralConflict'],
  ['singular', 'resources', 'SingularConflict'],
  ['kind', 'kinds', 'KindConflict'],
  ['listKind', 'kinds', 'ListKindConflict'],
] as const;

/** Either all short names are accepted or none. Short names that the CRD already has are not conflicts. */
function shortNameConflict(names: CrdNames, accepted: CrdNames, used: UsedNames): string | undefined {
  const own = new Set(accepted.shortNames ?? []);
  const problems = (names.shortNames ?? [])
    .filter((name) => !own.has(name))
    .map((name) => conflict(name, '', used.resources))
    .filter((text) => text !== undefined);
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

/**
 * Accepts, in place, the requested names of a CRD that no other CRD of its group uses. Sets NamesAccepted and prepares Established. True when
 * something changed. After the naming controller of k8s.io/apiextensions-apiserver.
 */
export function acceptNames(crd: CustomResourceDefinition, all: Iterable<CustomResourceDefinition>): boolean {
  const requested = crd.spec.names;
  const accepted = crd.status?.acceptedNames ?? {};
  if (deepEqual(withoutEmpty(requested), withoutEmpty(accepted))) return false;
  const used = usedNames(crd, all);
  const next: CrdNames = { ...accepted };
  let named = condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
  const refuse = (reason: string, message: string) => {
    named = condition('NamesAccepted', 'False', reason, message);
  };
  for (const [name, space, reason] of single) {
    if (name === 'kind') acceptShortNames(requested, accepted, used, next, refuse);
    const problem = conflict(requested[name] ?? '', accepted[name], used[space]);
    if (problem === undefined) next[name] = requested[name] ?? '';
    else refuse(reason, problem);
  }
  if (requested.categories === undefined) delete next.categories;
  else next.categories = requested.categories;
  const before = findCondition(crd, 'NamesAccepted');
  if (deepEqual(withoutEmpty(next), withoutEmpty(accepted)) && sameCondition(before, named)) return false;
  (crd.status ??= {}).acceptedNames = next;
  setCondition(crd, named);
  prepareEstablished(crd, named.status === 'True');
  return true;
}

function acceptShortNames(
  requested: CrdNames,
  accepted: CrdNames,
  used: UsedNames,
  next: CrdNames,
  refuse: (reason: string, message: string) => void,
): void {
  if (deepEqual(requested.shortNames ?? [], accepted.shortNames ?? [])) return;
  const problem = shortNameConflict(requested, accepted, used);
  if (problem !== undefined) refuse('ShortNamesConflict', problem);
  else if (requested.shortNames === undefined) delete next.shortNames;
  else next.shortNames = requested.shortNames;
}

function prepareEstablished(crd: CustomResourceDefinition, namesAccepted: boolean): void {
  const established = findCondition(crd, 'Established');
  if (established?.status === 'True') return;
  if (namesAccepted)
    setCondition(crd, condition('Established', 'False', 'Installing', 'the initial names have been accepted'));
  else if (established === undefined)
    setCondition(crd, condition('Established', 'False', 'NotAccepted', 'not all names are accepted'));
}

const withoutEmpty = (names: CrdNames): object =>
  Object.fromEntries(Object.entries(names).filter(([, v]: [string, unknown]) => !isEmpty(v)));
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Marks a CRD whose names are accepted as established, in place. True when something changed. */
export function establish(crd: CustomResourceDefinition): boolean {
  if (!isConditionTrue(crd, 'NamesAccepted') || isConditionTrue(crd, 'Established')) return false;
  const bundle = crd.spec.conversion?.webhook?.clientConfig?.caBundle;
  const next =
    bundle && caBundleProblem(bundle) !== undefined
      ? condition('Established', 'False', 'InvalidCABundle', 'The conversion webhook CABundle is invalid')
      : condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted');
  if (sameCondition(findCondition(crd, 'Established'), next)) return false;
  setCondition(crd, next);
  return true;
}
