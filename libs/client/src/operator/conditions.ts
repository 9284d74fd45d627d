import { currentTimestamp, findCondition } from '@apichain/meta';

/** A condition of a status: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/condition/ */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** The generation of the object that the condition describes. */
  readonly observedGeneration?: number;
  /** When the status was last another one: RFC 3339. */
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A condition as the type of some kind declares it. */
export interface DeclaredCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string | null;
}

/** An object whose status may have conditions. */
export interface WithConditions<Declared extends DeclaredCondition = DeclaredCondition> {
  readonly metadata: { readonly generation?: number };
  readonly status?: { readonly conditions?: readonly Declared[] | null } | null;
}

/** What a condition says from now on. */
export interface NewCondition {
  readonly type: string;
  /** `true` and `false` become `True` and `False`. */
  readonly status: boolean | 'True' | 'False' | 'Unknown';
  /** A word in CamelCase, for programs. */
  readonly reason: string;
  /** A sentence, for people. */
  readonly message?: string;
}

/**
 * The conditions of an object with another one in the place of that of its type. The object's generation is its observedGeneration; its
 * lastTransitionTime stays as long as the status does. Source: SetStatusCondition of k8s.io/apimachinery/pkg/api/meta.
 */
export function setStatusCondition<Declared extends DeclaredCondition = Condition>(
  { metadata, status }: WithConditions<Declared>,
  { type, status: wanted, reason, message = '' }: NewCondition,
): (Declared | Condition)[] {
  const conditions = status?.conditions ?? [];
  const before = findCondition(conditions, type);
  const now = typeof wanted === 'boolean' ? (wanted ? 'True' : 'False') : wanted;
  const since = before?.status === now ? before.lastTransitionTime : undefined;
  const after: Condition = {
    type,
    status: now,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    lastTransitionTime: since ?? currentTimestamp(),
    reason,
    message,
  };
  return before === undefined ? [...conditions, after] : conditions.map((one) => (one === before ? after : one));
}

/** The conditions of an object without that of a type. */
export const removeStatusCondition = <Declared extends DeclaredCondition>(
  { status }: WithConditions<Declared>,
  type: string,
): Declared[] => (status?.conditions ?? []).filter((condition) => condition.type !== type);

/** The condition of a type; undefined if the object does not have it. */
export const findStatusCondition = <Declared extends DeclaredCondition>(
  { status }: WithConditions<Declared>,
  type: string,
): Declared | undefined => findCondition(status?.conditions, type);

/** Whether an object has a condition of a type with the status `True`. */
export const isStatusConditionTrue = (object: WithConditions, type: string): boolean =>
  findStatusCondition(object, type)?.status === 'True';
