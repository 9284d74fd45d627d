import type { PriorityClass } from '@apichain/api/scheduling/v1';
import { highestUserPriority, systemPriorityClasses } from '@apichain/component-helpers';
import { isSet } from '@apichain/kinds';
import { field, type FieldError } from '@apichain/meta';
import { collect, immutable, requiredChoice } from '../common/rules.ts';

/** Why a class may not have a name with the system prefix; undefined when it is one of the system classes. */
function systemClassError(name: string, priorityClass: PriorityClass): string | undefined {
  const value = systemPriorityClasses.find((systemClass) => systemClass.name === name)?.value;
  if (value === undefined) return `${name} is not a known system priority class`;
  if ((priorityClass.value ?? 0) !== value) return `value of ${name} PriorityClass must be ${value}`;
  return priorityClass.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** Names, values and defaults of the system classes are fixed; those of users have a maximum value. */
export function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const { name = '' } = priorityClass.metadata;
  return collect((out) => {
    if (name.startsWith('system-')) {
      const reason = systemClassError(name, priorityClass);
      const detail = "priority class names with 'system-' prefix are reserved for system use only. error: ";
      if (reason !== undefined) out.push(field.forbidden('metadata.name', detail + reason));
    } else if ((priorityClass.value ?? 0) > highestUserPriority) {
      const detail = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
      out.push(field.forbidden('value', detail));
    }
    if (isSet(priorityClass.preemptionPolicy)) {
      const policies = ['PreemptLowerPriority', 'Never'];
      requiredChoice(out, 'preemptionPolicy', priorityClass.preemptionPolicy, policies);
    }
  });
}

/** The value and the preemption policy are immutable. */
export const validatePriorityClassUpdate = (priorityClass: PriorityClass, old: PriorityClass): FieldError[] =>
  collect((out) => {
    if ((priorityClass.value ?? 0) !== (old.value ?? 0)) {
      out.push(field.forbidden('value', 'may not be changed in an update.'));
    }
    immutable(out, 'preemptionPolicy', priorityClass.preemptionPolicy, old.preemptionPolicy);
  });
