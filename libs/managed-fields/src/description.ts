import { parseJson, stringifyJson, type GroupVersionKind } from '@apichain/meta';
import type { Type } from '@apichain/scheme';
import type { FieldManagerOptions } from './field-manager-options.ts';
import { TypeTableBuilder, typesOfTable, type TypeTable } from './type-table.ts';

/** The options of a FieldManager as plain data: without its functions, and with its types by index. */
interface Description {
  readonly types: TypeTable;
  readonly type: number;
  readonly versions: Readonly<Record<string, number>>;
  readonly groupVersionKind: GroupVersionKind;
  readonly subresource?: string;
  readonly resetFields?: FieldManagerOptions['resetFields'];
  readonly hub?: GroupVersionKind;
  readonly onlyRenames?: boolean;
  readonly typeHasChanged?: boolean;
}

/** The options as JSON in memory that threads share. */
export function describe(options: FieldManagerOptions): Uint8Array {
  const { type, groupVersionKind, versions = new Map<string, Type>(), subresource, resetFields, hub } = options;
  const builder = new TypeTableBuilder();
  const description = {
    type: builder.add(type),
    versions: Object.fromEntries([...versions].map(([apiVersion, known]) => [apiVersion, builder.add(known)])),
    types: builder.table,
    groupVersionKind,
    subresource,
    resetFields,
    hub,
    onlyRenames: options.onlyRenames,
    typeHasChanged: options.typeHasChanged,
  };
  const json = Buffer.from(stringifyJson(description));
  const shared = new Uint8Array(new SharedArrayBuffer(json.length));
  shared.set(json);
  return shared;
}

/** The options that `describe` wrote. */
export function readDescription(bytes: Uint8Array): Omit<FieldManagerOptions, 'convert' | 'now'> {
  const { types: table, type, versions, ...rest } = parseJson(Buffer.from(bytes)) as Description;
  const types = typesOfTable(table);
  const typeAt = (index: number) => types[index] ?? { kind: 'json' };
  return {
    ...rest,
    type: typeAt(type),
    versions: new Map(Object.entries(versions).map(([apiVersion, index]) => [apiVersion, typeAt(index)])),
  };
}
