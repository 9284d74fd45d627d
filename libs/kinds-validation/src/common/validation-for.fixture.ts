import { validationOf } from '../table.ts';
import type { KindValidation } from '../kind-validation.ts';

/** The checks of a resource, `pods` or `deployments.apps`. */
export function validationFor(key: string): KindValidation {
  const [resource = '', ...group] = key.split('.');
  return validationOf(group.join('.'), resource);
}
