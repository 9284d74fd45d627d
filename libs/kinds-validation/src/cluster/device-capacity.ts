import type { CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity } from '@apichain/api/resource/v1';
import { field, type Quantity } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { quantityOf } from '../common/resources.ts';
import { checkEach, type Out } from '../common/rules.ts';
import { uniqueItems } from './device-requests.ts';

const mostValues = 10;

/** Checks the request policy of a capacity. Only devices that allow multiple allocations can have one. */
export function capacityErrors(out: Out, path: string, capacity: DeviceCapacity, shared: boolean): void {
  if (!isSet(capacity.requestPolicy)) return;
  const at = `${path}.requestPolicy`;
  if (shared) policyErrors(out, at, capacity.requestPolicy, quantityOf(capacity.value));
  else out.push(field.forbidden(at, 'allowMultipleAllocations must be true'));
}

function policyErrors(out: Out, path: string, policy: CapacityRequestPolicy, capacity: Quantity): void {
  const values = (policy.validValues ?? []).map(quantityOf);
  const kind = values.length > 0 ? 'validValues' : 'validRange';
  if (values.length > 0 && isSet(policy.validRange)) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    out.push(field.forbidden(path, detail));
    return;
  }
  if (values.length === 0 && !isSet(policy.validRange)) return;
  if (!isSet(policy.default)) {
    out.push(field.required(`${path}.default`, `required when ${kind} is defined`));
    return;
  }
  const standard = quantityOf(policy.default);
  if (values.length > 0) valueErrors(out, `${path}.validValues`, values, standard, capacity);
  else rangeErrors(out, `${path}.validRange`, policy.validRange ?? {}, standard, capacity);
}

function valueErrors(
  out: Out,
  path: string,
  values: readonly Quantity[],
  standard: Quantity,
  capacity: Quantity,
): void {
  checkEach(out, values, (out, value, i) => {
    const before = values[i - 1];
    if (before === undefined || before.compare(value) <= 0) return;
    out.push(field.invalid(`${path}[${i}]`, value.toString(), 'values must be sorted in ascending order'));
  });
  const key = (value: Quantity): string => String(value.value());
  uniqueItems(out, path, values, mostValues, key, (at, value) => {
    if (value.compare(capacity) <= 0) return;
    out.push(field.invalid(at, value.toString(), `option is larger than capacity value: ${capacity.toString()}`));
  });
  if (values.length <= mostValues && values.some((value) => value.equals(standard))) return;
  out.push(field.invalid(path, standard.toString(), 'default value is not valid according to the requestPolicy'));
}

function rangeErrors(
  out: Out,
  path: string,
  range: CapacityRequestPolicyRange,
  standard: Quantity,
  capacity: Quantity,
): void {
  const invalid = (name: keyof CapacityRequestPolicyRange & string, value: Quantity, detail: string) =>
    out.push(field.invalid(`${path}.${name}`, value.toString(), detail));
  if (!isSet(range.min)) {
    out.push(field.required(`${path}.min`, 'required when validRange is defined'));
    return;
  }
  const min = quantityOf(range.min);
  const max = isSet(range.max) ? quantityOf(range.max) : undefined;
  if (min.compare(capacity) > 0) invalid('min', min, `min is larger than capacity value: ${capacity.toString()}`);
  if (standard.compare(min) < 0) invalid('min', standard, `default is less than min: ${min.toString()}`);
  if (max !== undefined) {
    if (min.compare(max) > 0) invalid('max', min, `min is larger than max: ${max.toString()}`);
    if (max.compare(capacity) > 0) invalid('max', max, `max is larger than capacity value: ${capacity.toString()}`);
    if (standard.compare(max) > 0) invalid('max', standard, `default is more than max: ${max.toString()}`);
  }
  if (!isSet(range.step)) return;
  const step = quantityOf(range.step);
  const first = min.add(step);
  if (first.compare(capacity) > 0)
    invalid('step', step, `one step ${first.toString()} is larger than capacity value: ${capacity.toString()}`);
  for (const value of max === undefined ? [standard] : [standard, max]) {
    if (step.value() === 0n || (value.value() - min.value()) % step.value() === 0n) continue;
    invalid('step', value, `value is not a multiple of a given step (${step.toString()}) from (${min.toString()})`);
  }
}
