import type { Field, Type } from '@apichain/scheme';
import { sortedEntriesOf, isSet, list, type Plain, record } from '@apichain/kinds';
import { builtinTypes } from '@apichain/kinds';
import { isGivenEmpty, shownMap } from './rules.ts';
import { goName, hostSwitches, internalOrder } from './go-names.ts';

/*
 * Values as the API server's internal types print in error messages: Go's field names in Go's order, every field there. Types of
 * meta/v1 have no internal form and print as usual. One walk prints values of all types, led by the table of types: so it knows no type
 * of TypeScript, and reads members by the names in the table.
 */
const scalarZeros: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  intOrString: 0,
  quantity: '0',
};

/** Pointers of which the internal type has values. */
const plainInside: ReadonlySet<string> = new Set(['apps.v1.RollingUpdateStatefulSetStrategy.partition']);

function zeroOf(typeName: string, field: Field): unknown {
  if (field.pointer === true && !plainInside.has(`${typeName}.${field.name}`)) return null;
  if (field.type.kind === 'object') return internalValue(field.type, {});
  return scalarZeros[field.type.kind] ?? null;
}

/** What an absent member prints as: a collection that was given without members is an empty one, no nil. */
function unsetValue(typeName: string, source: Plain, field: Field): unknown {
  if (Object.hasOwn(source, field.name) || !isGivenEmpty(source, field.name)) return zeroOf(typeName, field);
  return field.type.kind === 'map' ? {} : [];
}

const isMeta = (type: Type): boolean => type.name?.startsWith('meta.v1.') === true;

/** A value of a meta/v1 type: declared fields in order, what is absent left out. */
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

/** The internal PodSpec keeps the host switches in its security context, which is never absent then. */
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

/**
 * A value as its internal Go type prints in JSON. `typeName` is the facts name of the versioned type, such as `core.v1.PodSpec`.
 */
export const goValue = (typeName: string, value: unknown): unknown => internalValue(builtinTypes.type(typeName), value);

/** The same for a list of that type; absent is null. */
export const goList = (typeName: string, values: unknown): unknown =>
  isSet(values) ? list(values).map((value) => goValue(typeName, value)) : null;
