import type { Field, Type } from '@apichain/scheme';

/**
 * Types as plain data, so that another thread can have them: a graph with cycles and lazy members as a list, in which types refer to each other
 * by index. Only what field management reads of a type is in it.
 */
export type TypeTable = readonly TypeRow[];

type TypeRow = Pick<
  Type,
  'kind' | 'name' | 'listType' | 'listMapKeys' | 'mapType' | 'format' | 'default' | 'preserveUnknownFields'
> & {
  readonly validation?: { readonly format?: string };
  readonly fields?: readonly FieldRow[];
  readonly values?: number;
  readonly items?: number;
};

type FieldRow = Pick<
  Field,
  'name' | 'omitempty' | 'omitzero' | 'pointer' | 'patchStrategy' | 'patchMergeKey' | 'default'
> & { readonly type: number };

/** Collects types and everything that they refer to. */
export class TypeTableBuilder {
  readonly #rows: TypeRow[] = [];
  readonly #indexes = new Map<Type, number>();

  get table(): TypeTable {
    return this.#rows;
  }

  /** The index of a type in the table. */
  add(type: Type): number {
    const known = this.#indexes.get(type);
    if (known !== undefined) return known;
    const open = [type];
    const index = this.#place(type);
    // A list instead of recursion, because a schema may be nested deeply.
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      this.#rows[this.#place(next)] = this.#row(next, (part) => {
        if (!this.#indexes.has(part)) open.push(part);
        return this.#place(part);
      });
    }
    return index;
  }

  #place(type: Type): number {
    const known = this.#indexes.get(type);
    if (known !== undefined) return known;
    const index = this.#rows.push({ kind: type.kind }) - 1;
    this.#indexes.set(type, index);
    return index;
  }

  #row(type: Type, indexOf: (part: Type) => number): TypeRow {
    const { kind, name, listType, listMapKeys, mapType, format, preserveUnknownFields, validation } = type;
    return {
      kind,
      name,
      listType,
      listMapKeys,
      mapType,
      format,
      preserveUnknownFields,
      default: type.default,
      validation: validation === undefined ? undefined : { format: validation.format },
      fields: type.fields?.map((field) => fieldRow(field, indexOf(field.type))),
      values: type.values === undefined ? undefined : indexOf(type.values),
      items: type.items === undefined ? undefined : indexOf(type.items),
    };
  }
}

function fieldRow(field: Field, type: number): FieldRow {
  const { name, omitempty, omitzero, pointer, patchStrategy, patchMergeKey } = field;
  return { name, omitempty, omitzero, pointer, patchStrategy, patchMergeKey, default: field.default, type };
}

/** The types of a table, in its order. */
export function typesOfTable(table: TypeTable): Type[] {
  const types = table.map(({ fields: _, values: _values, items: _items, ...row }): Type => ({ ...row }));
  const typeAt = (index: number): Type => types[index] ?? { kind: 'json' };
  for (const [i, { fields, values, items }] of table.entries()) {
    const type = typeAt(i);
    if (fields !== undefined) {
      const list = fields.map((field): Field => ({ ...field, type: typeAt(field.type) }));
      type.fields = list;
      type.byName = new Map(list.map((field) => [field.name, field]));
    }
    if (values !== undefined) type.values = typeAt(values);
    if (items !== undefined) type.items = typeAt(items);
  }
  return types;
}
