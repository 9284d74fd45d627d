import {
  approvalState,
  findCondition,
  isProtectedGroup,
  type ApprovalState,
  type CrdConditionStatus,
  type CustomResourceDefinition,
  type NonStructural,
} from '@apichain/schema';
import { condition, removeCondition, sameCondition, setCondition } from '../crd/conditions.ts';

/** Updates the NonStructuralSchema condition in place, from the result of `findNonStructural`. True when something changed. */
export function reportNonStructural(crd: CustomResourceDefinition, found: NonStructural): boolean {
  const next = nonStructuralCondition(found);
  const before = findCondition(crd, 'NonStructuralSchema');
  if (sameCondition(before, next)) return false;
  if (next === undefined) removeCondition(crd, 'NonStructuralSchema');
  else setCondition(crd, next);
  return true;
}

function nonStructuralCondition(found: NonStructural): ReturnType<typeof condition> | undefined {
  if ('reason' in found) {
    const text = `failed to check validation schema for version ${found.version}: ${found.reason}`;
    return condition('NonStructuralSchema', 'Unknown', 'StructuralError', text);
  }
  const texts = [...new Set(found.errors.map((e) => `${e.field}: ${e.message}`))];
  if (texts.length === 0) return undefined;
  const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  return condition('NonStructuralSchema', 'True', 'Violations', message);
}

const approvalReasons: Readonly<Record<ApprovalState, readonly [CrdConditionStatus, string]>> = {
  approved: ['True', 'ApprovedAnnotation'],
  bypassed: ['False', 'UnapprovedAnnotation'],
  missing: ['False', 'MissingAnnotation'],
  invalid: ['False', 'InvalidAnnotation'],
};

/** Updates, in place, the condition that tells whether the API of a community group was approved. True when something changed. */
export function reportApproval(crd: CustomResourceDefinition): boolean {
  if (!isProtectedGroup(crd.spec.group)) return false;
  const { state, reason } = approvalState(crd.metadata.annotations);
  const [status, word] = approvalReasons[state];
  const next = condition('KubernetesAPIApprovalPolicyConformant', status, word, reason);
  if (sameCondition(findCondition(crd, next.type), next)) return false;
  setCondition(crd, next);
  return true;
}
