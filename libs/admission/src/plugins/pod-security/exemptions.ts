import { goQuote } from '@apichain/go-text';
import { type KubeObject } from '@apichain/meta';
import type { AdmissionAttributes } from '../../plugin.ts';
import type { CheckedPod } from './check.ts';
import { formatLevelVersion, isFullyPrivileged, sameLevelVersion, type Policy } from './policy.ts';

/** https://kubernetes.io/docs/concepts/security/pod-security-admission/#exemptions */
export interface PodSecurityExemptions {
  readonly usernames?: readonly string[];
  readonly runtimeClasses?: readonly string[];
  readonly namespaces?: readonly string[];
}

/** The users, namespaces and runtime classes that are exempt from all policies. */
export class Exemptions {
  readonly #users: ReadonlySet<string>;
  readonly #runtimeClasses: ReadonlySet<unknown>;
  readonly #namespaces: ReadonlySet<string>;

  constructor({ usernames = [], runtimeClasses = [], namespaces = [] }: PodSecurityExemptions = {}) {
    this.#users = new Set(usernames);
    this.#runtimeClasses = new Set(runtimeClasses);
    this.#namespaces = new Set(namespaces);
  }

  isNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  isPod({ spec }: Pick<CheckedPod, 'spec'>): boolean {
    return this.#runtimeClasses.has(spec.runtimeClassName);
  }

  /** Why the request is exempt, regardless of its object; undefined = it is not exempt. */
  of({ namespace, user }: AdmissionAttributes): 'namespace' | 'user' | undefined {
    if (this.#namespaces.has(namespace)) return 'namespace';
    return this.#users.has(user.name) ? 'user' : undefined;
  }
}

const modes = ['enforce', 'audit', 'warn'] as const;

/** The warning for a write of an exempt namespace with policy labels; undefined = its labels have no effect to warn about. */
export function exemptNamespaceWarning(namespace: KubeObject, policy: Policy, defaults: Policy): string | undefined {
  if (isFullyPrivileged(policy) || modes.every((mode) => sameLevelVersion(policy[mode], defaults[mode])))
    return undefined;
  const { name = '', labels = {} } = namespace.metadata;
  const isAsked = (mode: string) =>
    [mode, `${mode}-version`].some((label) => labels[`pod-security.kubernetes.io/${label}`] !== undefined);
  const shown = modes
    .filter((mode) => policy[mode].level !== 'privileged' && isAsked(mode))
    .map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`);
  return `namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${shown.join(', ')}) will be ignored`;
}
