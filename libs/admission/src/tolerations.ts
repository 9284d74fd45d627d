import { integer, text, type Plain } from './fields.ts';

/** A toleration as a text, the same for equal ones. */
const identityOf = (toleration: Plain): string =>
  JSON.stringify(Object.entries(toleration).sort(([a], [b]) => (a < b ? -1 : 1)));

/** How long a toleration holds, in seconds; without a number for ever. */
const secondsOf = ({ tolerationSeconds }: Plain): number => integer(tolerationSeconds) ?? Infinity;

const slotOf = (key: string, effect: string, operator: 'Equal' | 'Exists', value: string): string =>
  JSON.stringify([key, effect, operator, value]);

/** Tolerations by what they cover, so that each is looked up and none compared with all others. */
class CoveringTolerations {
  readonly #identities = new Set<string>();
  /** Those that differ in nothing but their time: the two that last longest, by identity. */
  readonly #slots = new Map<string, readonly (readonly [identity: string, seconds: number])[]>();

  constructor(tolerations: readonly Plain[] = []) {
    for (const toleration of tolerations) this.add(toleration);
  }

  add(toleration: Plain): void {
    const identity = identityOf(toleration);
    if (this.#identities.has(identity)) return;
    this.#identities.add(identity);
    const [key, effect, value, operator] = ['key', 'effect', 'value', 'operator'].map((name) => text(toleration[name]));
    if (operator !== '' && operator !== 'Equal' && operator !== 'Exists') return;
    const exists = operator === 'Exists';
    const slot = slotOf(key ?? '', effect ?? '', exists ? 'Exists' : 'Equal', exists ? '' : (value ?? ''));
    const seconds = effect === 'NoExecute' ? secondsOf(toleration) : Infinity;
    const longest = [...(this.#slots.get(slot) ?? []), [identity, seconds] as const];
    this.#slots.set(slot, longest.sort(([, a], [, b]) => (a > b ? -1 : a < b ? 1 : 0)).slice(0, 2));
  }

  /** Whether one of them, other than one that equals `t`, tolerates everything that `t` does. */
  coverByOther(t: Plain): boolean {
    const identity = identityOf(t);
    const wanted = secondsOf(t);
    const operators = text(t.operator) === 'Equal' ? (['Exists', 'Equal'] as const) : (['Exists'] as const);
    for (const key of new Set(['', text(t.key)])) {
      for (const effect of new Set(['', text(t.effect)])) {
        for (const operator of operators) {
          const slot = this.#slots.get(slotOf(key, effect, operator, operator === 'Equal' ? text(t.value) : ''));
          if (slot?.some(([other, seconds]) => other !== identity && (effect !== 'NoExecute' || seconds >= wanted)))
            return true;
        }
      }
    }
    return false;
  }

  /** Whether one of them tolerates everything that `t` does. */
  cover(t: Plain): boolean {
    return this.#identities.has(identityOf(t)) || this.coverByOther(t);
  }
}

/** Both lists as one, without what another toleration of it covers. Source: MergeTolerations of k8s.io/kubernetes/pkg/util/tolerations. */
export function mergeTolerations(first: readonly Plain[], second: readonly Plain[]): Plain[] {
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

/** Whether each of the tolerations is covered by one of the list. An empty list allows everything. */
export function withinWhitelist(tolerations: readonly Plain[], whitelist: readonly Plain[]): boolean {
  if (whitelist.length === 0) return true;
  const allowed = new CoveringTolerations(whitelist);
  return tolerations.every((toleration) => allowed.cover(toleration));
}

/** Adds the toleration, or puts it in the place of the one for the same key, effect and value. */
export function addOrUpdateToleration(tolerations: readonly Plain[], toleration: Plain): Plain[] {
  const isSame = (other: Plain) =>
    ['key', 'operator', 'value', 'effect'].every((name) => text(other[name]) === text(toleration[name]));
  return tolerations.some(isSame)
    ? tolerations.map((other) => (isSame(other) ? toleration : other))
    : [...tolerations, toleration];
}
