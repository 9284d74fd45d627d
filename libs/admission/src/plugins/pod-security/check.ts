import type { Container, PodSecurityContext, PodSpec, SecurityContext } from '@apichain/api/core/v1';
import type { ObjectMeta } from '@apichain/meta';
import { allContainersOf } from '../../pod-fields.ts';
import type { Level } from './policy.ts';

/** A violation of a rule: the reason, and which parts of the pod cause it. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}
export interface CheckedPod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** A rule of the Pod Security Standards: https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
export interface Check {
  readonly id: string;
  readonly level: Exclude<Level, 'privileged'>;
  /** By ascending minor version; each applies until the next one. */
  readonly versions: readonly CheckVersion[];
}
export interface CheckVersion {
  readonly since: number;
  readonly check: CheckPod;
  /** The baseline checks that this one includes. */
  readonly overrides?: readonly string[];
}

export const quoted = (items: Iterable<string>): string => [...items].map((item) => `"${item}"`).join(', ');
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${quoted(names)}`;
/** `pod and containers "a", "b"`: the parts of the pod that set a value. */
export function settersText(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
}

/** The fields of both kinds of security context; some exist only for pods, others only for containers. */
export type AnySecurityContext = SecurityContext & PodSecurityContext;
/** A pod spec or a container. */
export interface SecuredPart {
  readonly securityContext?: AnySecurityContext;
}
export const securityContext = (part: SecuredPart): AnySecurityContext => part.securityContext ?? {};
/** The names of the containers that match the predicate. */
export const containersWhere = (spec: PodSpec, predicate: (container: Container) => boolean): string[] =>
  allContainersOf(spec)
    .filter(predicate)
    .map((container) => container.name ?? '');

/** The check does not apply to pods with their own user namespace. */
export const unlessUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
/** The check does not apply to Windows pods. */
export const unlessWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);
