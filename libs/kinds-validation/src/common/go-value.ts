import type { Field, Type } from '@apichain/scheme';
import { sortedEntriesOf, isSet, list, type Plain, record } from '@apichain/kinds';
import { builtinTypes } from '@apichain/kinds';
import { isGivenEmpty, shownMap } from './rules.ts';
import { goName, hostSwitches, internalOrder } from './go-names.ts';

/*
 * Prints values as the API server's internal types appear in error messages: all fields, with Go's names in Go's order. Types of
 * meta/v1 have no internal version and print normally. One function prints values of all types, driven by the type tables, so it reads
 * members by the names in the table and does not use TypeScript types.
 */
const scalarZeros: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  intOrString: 0,
  quantity: '0',
};

/** Fields that are pointers, but plain values in the internal type. */
const plainInside: ReadonlySet<string> = new Set(['apps.v1.RollingUpdateStatefulSetStrategy.partition']);

function zeroOf(typeName: string, field: Field): unknown {
  if (field.pointer === true && !plainInside.has(`${typeName}.${field.name}`)) return null;
  if (field.type.kind === 'object') return internalValue(field.type, {});
  return scalarZeros[field.type.kind] ?? null;
}

/** The value that an absent member prints as; a collection that was given as empty prints as empty, not as nil. */
function unsetValue(typeName: string, source: Plain, field: Field): unknown {
  if (Object.hasOwn(source, field.name) || !isGivenEmpty(source, field.name)) return zeroOf(typeName, field);
  return field.type.kind === 'map' ? {} : [];
}

const isMeta = (type: Type): boolean => type.name?.startsWith('meta.v1.') === true;

/** A value of a meta/v1 type: declared fields in order, without absent ones. */
function metaValue(type: Type, value: unknown): unknown {
  if (type.kind === 'array') return list(value).map((item) => metaValue(type.items ?? type, item));
  if (type.kind === 'map') return shownMap(record(value));
  if (type.kind !== 'object' || type.fields === undefined) return value;
  const source = record(value);
  const result: Plain = {};
  for (const field of type.fields) {
    if (isSet(source[field.name])) result[field.name] = metaValue(field.type, source[field.name]);
  }
  return result;
}

function fieldsInOrder(type: Type): readonly Field[] {
  const order = internalOrder[type.name ?? ''];
  if (order === undefined) return type.fields ?? [];
  return order.flatMap((name) => type.byName?.get(name) ?? []);
}

/** The internal PodSpec keeps the host settings in its security context, which is never absent for that reason. */
function podSecurityContext(type: Type, spec: Plain): Plain {
  const declared = type.byName?.get('securityContext')?.type;
  const context = declared === undefined ? {} : record(internalValue(declared, record(spec.securityContext)));
  const pointers = new Set(['shareProcessNamespace', 'hostUsers']);
  const switches: Plain = {};
  for (const name of hostSwitches) switches[goName('', name)] = spec[name] ?? (pointers.has(name) ? null : false);
  return { ...switches, ...context };
}

function structValue(type: Type, source: Plain): Plain {
  const result: Plain = {};
  const typeName = type.name ?? '';
  for (const field of fieldsInOrder(type)) {
    const value = source[field.name];
    if (field.name === 'metadata' && field.type.name === 'meta.v1.ObjectMeta') {
      Object.assign(result, metaValue(field.type, value));
    } else if (typeName === 'core.v1.PodSpec' && field.name === 'securityContext') {
      result.SecurityContext = podSecurityContext(type, source);
    } else {
      result[goName(typeName, field.name)] = isSet(value)
        ? internalValue(field.type, value)
        : unsetValue(typeName, source, field);
    }
  }
  return result;
}

function internalValue(type: Type, value: unknown): unknown {
  if (!isSet(value)) return null;
  if (isMeta(type)) return metaValue(type, value);
  if (type.kind === 'array') return list(value).map((item) => internalValue(type.items ?? type, item));
  if (type.kind === 'map') {
    const entries = sortedEntriesOf(record(value));
    return Object.fromEntries(entries.map(([key, member]) => [key, internalValue(type.values ?? type, member)]));
  }
  return type.kind === 'object' && type.fields !== undefined ? structValue(type, record(value)) : value;
}

/** A value as its internal Go type prints in JSON. `typeName` is the table's name of the versioned type, such as `core.v1.PodSpec`. */
export const goValue = (typeName: string, value: unknown): unknown => internalValue(builtinTypes.type(typeName), value);

/** The same for a list of that type; null when it is absent. */
export const goList = (typeName: string, values: unknown): unknown =>
  isSet(values) ? list(values).map((value) => goValue(typeName, value)) : null;
