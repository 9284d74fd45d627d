import type { LimitRange, LimitRangeItem } from '@apichain/api/core/v1';
import { field, isQualifiedName, type FieldError, type Quantity } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { containerResourceName, isOvercommitAllowed, quantityOf, resourceName } from '../common/resources.ts';
import { checkEach, collect, invalidEach, type Out } from '../common/rules.ts';

const types = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const bounds = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

function typeErrors(out: Out, path: string, type: string, seen: Set<string>): void {
  const before = out.length;
  invalidEach(out, `${path}.type`, type, isQualifiedName(type));
  if (out.length === before && !type.includes('/') && !types.has(type)) {
    out.push(field.invalid(`${path}.type`, type, 'must be a standard limit type or fully qualified'));
  }
  if (seen.has(type)) out.push(field.duplicate(`${path}.type`, type));
  seen.add(type);
}

type Amounts = Readonly<Record<(typeof bounds)[number], Quantity | undefined>>;
const wrong = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
  a !== undefined && b !== undefined && a.compare(b) > 0;

/** Checks the order of the bounds of one resource. */
function orderErrors(out: Out, path: string, name: string, amounts: Amounts): void {
  const { max, min, default: limit, defaultRequest: request, maxLimitRequestRatio: ratio } = amounts;
  const say = (bound: string, value: Quantity | undefined, detail: string) =>
    out.push(field.invalid(`${path}.${bound}[${name}]`, String(value), detail));
  if (wrong(min, max)) say('min', min, `min value ${String(min)} is greater than max value ${String(max)}`);
  if (wrong(min, request)) {
    say('defaultRequest', request, `min value ${String(min)} is greater than default request value ${String(request)}`);
  }
  if (wrong(request, max)) {
    say('defaultRequest', request, `default request value ${String(request)} is greater than max value ${String(max)}`);
  }
  if (wrong(request, limit)) {
    const detail = `default request value ${String(request)} is greater than default limit value ${String(limit)}`;
    say('defaultRequest', request, detail);
  }
  if (wrong(min, limit)) say('default', min, `min value ${String(min)} is greater than default value ${String(limit)}`);
  if (wrong(limit, max)) say('default', max, `default value ${String(limit)} is greater than max value ${String(max)}`);
  ratioErrors(out, `${path}.maxLimitRequestRatio[${name}]`, ratio, min, max);
  if (!isOvercommitAllowed(name) && limit !== undefined && request !== undefined && !limit.equals(request)) {
    const detail = `default value ${String(limit)} must equal to defaultRequest value ${String(request)} in ${name}`;
    say('defaultRequest', request, detail);
  }
}

const mostInThousandths = (2n ** 63n - 1n) / 1000n;

function ratioErrors(out: Out, path: string, ratio?: Quantity, min?: Quantity, max?: Quantity): void {
  if (ratio === undefined) return;
  if (ratio.compare(quantityOf('1')) < 0) {
    out.push(field.invalid(path, ratio.toString(), `ratio ${ratio.toString()} is less than 1`));
  }
  if (min === undefined || max === undefined || min.isZero) return;
  // Amounts whose thousandths exceed 64 bits are compared as integers.
  const fine = [ratio, min, max].every((amount) => amount.value() < mostInThousandths);
  const most = fine ? Number(max.milliValue()) / Number(min.milliValue()) : Number(max.value()) / Number(min.value());
  if ((fine ? Number(ratio.milliValue()) / 1000 : Number(ratio.value())) <= most) return;
  const detail = `ratio ${ratio.toString()} is greater than max/min = ${most.toFixed(6)}`;
  out.push(field.invalid(path, ratio.toString(), detail));
}

function limitErrors(out: Out, path: string, limit: LimitRangeItem, seen: Set<string>): void {
  const type = limit.type ?? '';
  typeErrors(out, path, type, seen);
  const nameRule = type === 'Pod' || type === 'Container' ? containerResourceName : resourceName;
  const names = new Set<string>();
  const isForbidden = (bound: string) => type === 'Pod' && (bound === 'default' || bound === 'defaultRequest');
  for (const bound of bounds) {
    if (isForbidden(bound)) {
      if (Object.keys(limit[bound] ?? {}).length > 0) {
        out.push(field.forbidden(`${path}.${bound}`, "may not be specified when `type` is 'Pod'"));
      }
      continue;
    }
    checkEach(out, Object.keys(limit[bound] ?? {}).sort(), (out, name) => {
      nameRule(out, `${path}.${bound}[${name}]`, name);
      names.add(name);
    });
  }
  if (type === 'PersistentVolumeClaim' && !isSet(limit.min?.storage) && !isSet(limit.max?.storage)) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    out.push(field.required(`${path}.limits`, detail));
  }
  for (const name of [...names].sort()) {
    const amount = (bound: (typeof bounds)[number]) => {
      const value = isForbidden(bound) ? undefined : limit[bound]?.[name];
      return isSet(value) ? quantityOf(value) : undefined;
    };
    orderErrors(out, path, name, {
      max: amount('max'),
      min: amount('min'),
      default: amount('default'),
      defaultRequest: amount('defaultRequest'),
      maxLimitRequestRatio: amount('maxLimitRequestRatio'),
    });
  }
}

/** https://kubernetes.io/docs/concepts/policy/limit-range/ */
export function validateLimitRange(range: LimitRange): FieldError[] {
  return collect((out) => {
    const seen = new Set<string>();
    checkEach(out, range.spec?.limits ?? [], (out, limit, i) => {
      limitErrors(out, `spec.limits[${i}]`, limit, seen);
    });
  });
}
