import type { Toleration } from '@apichain/api/core/v1';
import { integer, isSet } from '@apichain/meta';

/** A toleration as text; equal tolerations have the same text. */
const identityOf = (toleration: Toleration): string =>
  JSON.stringify(Object.entries(toleration).sort(([a], [b]) => (a < b ? -1 : 1)));

/** How long a toleration holds, in seconds; without tolerationSeconds, Infinity. */
const secondsOf = ({ tolerationSeconds }: Toleration): number =>
  isSet(tolerationSeconds) ? integer(tolerationSeconds) : Infinity;

const slotOf = (key: string, effect: string, operator: 'Equal' | 'Exists', value: string): string =>
  JSON.stringify([key, effect, operator, value]);

/** Indexes tolerations by what they cover, so that a lookup does not compare all of them. */
class CoveringTolerations {
  readonly #identities = new Set<string>();
  /** For tolerations that differ only in their time: the two that last longest, with their identity. */
  readonly #slots = new Map<string, readonly (readonly [identity: string, seconds: number])[]>();

  constructor(tolerations: readonly Toleration[] = []) {
    for (const toleration of tolerations) this.add(toleration);
  }

  add(toleration: Toleration): void {
    const identity = identityOf(toleration);
    if (this.#identities.has(identity)) return;
    this.#identities.add(identity);
    const { key = '', effect = '', value = '', operator = '' } = toleration;
    if (operator !== '' && operator !== 'Equal' && operator !== 'Exists') return;
    const exists = operator === 'Exists';
    const slot = slotOf(key, effect, exists ? 'Exists' : 'Equal', exists ? '' : value);
    const seconds = effect === 'NoExecute' ? secondsOf(toleration) : Infinity;
    const longest = [...(this.#slots.get(slot) ?? []), [identity, seconds] as const];
    this.#slots.set(slot, longest.sort(([, a], [, b]) => (a > b ? -1 : a < b ? 1 : 0)).slice(0, 2));
  }

  /** Whether a toleration that is not equal to `t` tolerates everything that `t` does. */
  coverByOther(t: Toleration): boolean {
    const identity = identityOf(t);
    const wanted = secondsOf(t);
    const operators = t.operator === 'Equal' ? (['Exists', 'Equal'] as const) : (['Exists'] as const);
    for (const key of new Set(['', t.key ?? ''])) {
      for (const effect of new Set(['', t.effect ?? ''])) {
        for (const operator of operators) {
          const slot = this.#slots.get(slotOf(key, effect, operator, operator === 'Equal' ? (t.value ?? '') : ''));
          if (slot?.some(([other, seconds]) => other !== identity && (effect !== 'NoExecute' || seconds >= wanted)))
            return true;
        }
      }
    }
    return false;
  }

  /** Whether a toleration, possibly an equal one, tolerates everything that `t` does. */
  cover(t: Toleration): boolean {
    return this.#identities.has(identityOf(t)) || this.coverByOther(t);
  }
}

/** Both lists as one, without tolerations that another one covers. Source: MergeTolerations of k8s.io/kubernetes/pkg/util/tolerations. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const later = new CoveringTolerations();
  const coveredLater = all.map(() => false);
  for (let i = all.length - 1; i >= 0; i--) {
    const toleration = all[i] ?? {};
    coveredLater[i] = later.coverByOther(toleration);
    later.add(toleration);
  }
  const before = new CoveringTolerations();
  return all.filter((toleration, i) => {
    if (coveredLater[i] === true || before.cover(toleration)) return false;
    before.add(toleration);
    return true;
  });
}

/** Whether every toleration is covered by the whitelist. An empty whitelist allows everything. */
export function withinWhitelist(tolerations: readonly Toleration[], whitelist: readonly Toleration[]): boolean {
  if (whitelist.length === 0) return true;
  const allowed = new CoveringTolerations(whitelist);
  return tolerations.every((toleration) => allowed.cover(toleration));
}

/** Adds the toleration, or replaces the toleration with the same key, effect and value. */
export function addOrUpdateToleration(tolerations: readonly Toleration[], toleration: Toleration): Toleration[] {
  const isSame = (other: Toleration) =>
    (['key', 'operator', 'value', 'effect'] as const).every((name) => (other[name] ?? '') === (toleration[name] ?? ''));
  return tolerations.some(isSame)
    ? tolerations.map((other) => (isSame(other) ? toleration : other))
    : [...tolerations, toleration];
}
