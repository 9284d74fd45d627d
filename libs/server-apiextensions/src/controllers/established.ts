import { caBundleProblem, isConditionTrue, type CustomResourceDefinition } from '@apichain/schema';
import { condition, sameCondition, setCondition } from '../crd/conditions.ts';
import { findCondition } from '@apichain/schema';

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
