import { isRecord, oncePerObject, own, setOwn } from '@apichain/meta';
import type { Field, Type } from '../type.ts';
import { expectWireType, readFields, type Reader } from './reader.ts';
import {
  booleanCodec,
  bytesCodec,
  doubleCodec,
  int32Codec,
  int64Codec,
  stringCodec,
  type PlainObject,
  type ValueCodec,
} from './value-codecs.ts';
import {
  durationCodec,
  intOrStringCodec,
  microTimeCodec,
  quantityCodec,
  rawCodec,
  readJsonText,
  schemaOrBoolCodec,
  schemaOrListCodec,
  timeCodec,
  type RawReader,
} from './special-codecs.ts';
import { mapEntryCodec } from './map-entry.ts';
import { ProtobufError, wireBytes } from './wire.ts';
import type { Writer } from './writer.ts';

/** One numbered field of a message, compiled to write from and read into the object that contains it. */
interface MessageField {
  readonly number: number;
  write(writer: Writer, object: PlainObject): void;
  read(reader: Reader, wireType: number, end: number, object: PlainObject): void;
}

/**
 * The message of a struct type. Fields are compiled on first use, because types may contain themselves. The encoding is that of gogo's
 * proto2: fields in ascending order, zero values of non-pointers written.
 */
class MessageCodec implements ValueCodec {
  readonly wireType = wireBytes;
  readonly #compile: () => MessageField[];
  #descending: readonly MessageField[] | undefined;
  #byNumber: ReadonlyMap<number, MessageField> | undefined;

  /** The Go name, for errors. */
  readonly #name: string | undefined;

  constructor(compile: () => MessageField[], name?: string) {
    this.#compile = compile;
    this.#name = name;
  }

  #fields(): readonly MessageField[] {
    if (this.#descending === undefined) {
      this.#descending = this.#compile().sort((a, b) => b.number - a.number);
      this.#byNumber = new Map(this.#descending.map((field) => [field.number, field]));
    }
    return this.#descending;
  }

  write(writer: Writer, value: unknown): void {
    const mark = writer.position;
    this.writeFields(writer, isRecord(value) ? value : {});
    writer.lengthSince(mark);
  }

  writeFields(writer: Writer, object: PlainObject): void {
    for (const field of this.#fields()) field.write(writer, object);
  }

  read(reader: Reader, end: number, previous: unknown): unknown {
    const object = isRecord(previous) ? previous : {};
    reader.message(end, (limit) => this.readInto(reader, limit, object));
    return object;
  }

  readInto(reader: Reader, end: number, object: PlainObject): void {
    this.#fields();
    const fields = this.#byNumber;
    readFields(
      reader,
      end,
      (number, wireType, fieldEnd) => {
        const field = fields?.get(number);
        field?.read(reader, wireType, fieldEnd, object);
        return field !== undefined;
      },
      this.#name,
    );
  }
}

export type { MessageCodec };

/** Compiles each type to a codec once. `readRaw` reads the content of a RawExtension. */
export class MessageCompiler {
  readonly #rawExtension: ValueCodec;
  readonly #json = rawCodec(readJsonText);

  constructor(readRaw: RawReader) {
    this.#rawExtension = rawCodec(readRaw);
  }

  readonly message = oncePerObject((type: Type): MessageCodec => {
    const name = type.name?.slice(type.name.lastIndexOf('.') + 1);
    return new MessageCodec(() => this.#compileFields((type.fields ?? []).map((field) => [field, field])), name);
  });

  /** Compiles fields, each with the embedded messages that remain on the path to it. */
  #compileFields(fields: readonly (readonly [Field, Pick<Field, 'protoEmbedded'>])[]): MessageField[] {
    const out: MessageField[] = [];
    const embedded = new Map<number, [Field, Pick<Field, 'protoEmbedded'>][]>();
    for (const [field, { protoEmbedded }] of fields) {
      if (protoEmbedded === undefined) {
        if (field.proto !== undefined) out.push(this.#compileField(field, field.proto));
        continue;
      }
      const { number, inner } = protoEmbedded;
      const group = embedded.get(number) ?? [];
      group.push([field, inner === undefined ? {} : { protoEmbedded: inner }]);
      embedded.set(number, group);
    }
    for (const [number, group] of embedded) out.push(this.#embeddedField(number, group));
    return out;
  }

  /** An inline struct: a separate message in protobuf, part of the enclosing object in JSON. */
  #embeddedField(number: number, fields: readonly (readonly [Field, Pick<Field, 'protoEmbedded'>])[]): MessageField {
    const message = new MessageCodec(() => this.#compileFields(fields));
    return {
      number,
      write(writer, object) {
        message.write(writer, object);
        writer.tag(number, wireBytes);
      },
      read(reader, wireType, end, object) {
        expectWireType(wireType, wireBytes, String(number));
        reader.message(end, (limit) => message.readInto(reader, limit, object));
      },
    };
  }

  #compileField(field: Field, number: number): MessageField {
    const { type } = field;
    if (type.kind === 'map') return this.#mapField(field, number, type);
    if (type.kind === 'array' && field.protoWrapped !== true) return this.#repeatedField(field, number, type);
    const isOptional = field.pointer === true || type.kind === 'array' || type.kind === 'bytes';
    return singularField(field.name, number, this.value(type), isOptional || type.kind === 'fieldsV1');
  }

  #repeatedField({ name }: Field, number: number, type: Type): MessageField {
    const item = this.value(type.items ?? { kind: 'json' });
    return {
      number,
      write(writer, object) {
        const list = own(object, name);
        if (!Array.isArray(list)) return;
        for (let i = list.length - 1; i >= 0; i--) {
          item.write(writer, list[i]);
          writer.tag(number, item.wireType);
        }
      },
      read(reader, wireType, end, object) {
        const known = own(object, name);
        const list: unknown[] = Array.isArray(known) ? known : [];
        if (list !== known) reader.countMembers();
        setOwn(object, name, list);
        if (wireType === wireBytes && item.wireType !== wireBytes) {
          readPacked(reader, end, item, list);
          return;
        }
        expectWireType(wireType, item.wireType, name);
        reader.countMembers();
        list.push(item.read(reader, end, undefined));
      },
    };
  }

  #mapField({ name }: Field, number: number, type: Type): MessageField {
    // A list as a map value is wrapped in a message, like every list that is not a field.
    const entry = mapEntryCodec(this.value(type.values ?? { kind: 'string' }));
    return {
      number,
      write(writer, object) {
        const map = own(object, name);
        if (!isRecord(map)) return;
        for (const key of descending(Object.keys(map))) {
          entry.write(writer, key, map[key]);
          writer.tag(number, wireBytes);
        }
      },
      read(reader, wireType, end, object) {
        expectWireType(wireType, wireBytes, name);
        const known = own(object, name);
        const map: PlainObject = isRecord(known) ? known : {};
        if (map !== known) reader.countMembers();
        setOwn(object, name, map);
        entry.read(reader, end, map);
      },
    };
  }

  /** The codec of a single value of the type. Lists are wrapped in a message. */
  value(type: Type): ValueCodec {
    switch (type.kind) {
      case 'object':
        return this.message(type);
      case 'array':
        return this.#wrappedList(type);
      case 'map':
        throw new ProtobufError(`a map has no protobuf form here: ${type.name ?? type.alias ?? ''}`);
      case 'string':
        return stringCodec;
      case 'integer':
        return type.format === 'int32' ? int32Codec : int64Codec;
      case 'number':
        return doubleCodec;
      case 'boolean':
        return booleanCodec;
      case 'bytes':
        return bytesCodec;
      case 'time':
        return timeCodec;
      case 'microTime':
        return microTimeCodec;
      case 'duration':
        return durationCodec;
      case 'quantity':
        return quantityCodec;
      case 'intOrString':
        return intOrStringCodec;
      case 'rawExtension':
        return this.#rawExtension;
      case 'fieldsV1':
        return this.#json;
      case 'json':
        return this.#jsonValue(type);
    }
  }

  #wrappedList(type: Type): ValueCodec {
    const list = this.#repeatedField({ name: 'items', type }, 1, type);
    const message = new MessageCodec(() => [list]);
    return {
      wireType: wireBytes,
      write: (writer, value) => message.write(writer, { items: value }),
      read(reader, end, previous) {
        const read = message.read(reader, end, Array.isArray(previous) ? { items: previous } : undefined);
        return isRecord(read) ? (read['items'] ?? []) : [];
      },
    };
  }

  #jsonValue(type: Type): ValueCodec {
    const name = type.name ?? '';
    if (type.items === undefined) return this.#json;
    const schema = this.value(type.items);
    if (name.endsWith('OrBool')) return schemaOrBoolCodec(schema, booleanCodec);
    return schemaOrListCodec(schema, name.endsWith('OrStringArray') ? stringCodec : schema);
  }
}

function singularField(name: string, number: number, codec: ValueCodec, isOptional: boolean): MessageField {
  return {
    number,
    write(writer, object) {
      const value = own(object, name);
      if (isOptional && (value === undefined || value === null)) return;
      codec.write(writer, value);
      writer.tag(number, codec.wireType);
    },
    read(reader, wireType, end, object) {
      expectWireType(wireType, codec.wireType, name);
      reader.countMembers();
      setOwn(object, name, codec.read(reader, end, own(object, name)));
    },
  };
}

function readPacked(reader: Reader, end: number, item: ValueCodec, list: unknown[]): void {
  const limit = reader.limit(end);
  while (reader.position < limit) {
    reader.countMembers();
    list.push(item.read(reader, limit, undefined));
  }
}

/** The keys of a map, the last one first: Go sorts them by their bytes. */
function descending(keys: string[]): readonly string[] {
  if (keys.length < 2) return keys;
  // The order of UTF-16 units, which the platform sorts by at once, is that of the bytes in texts without surrogates.
  return (keys.some(hasSurrogate) ? keys.sort(compareUtf8) : keys.sort()).reverse();
}

const compareUtf8 = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const hasSurrogate = (text: string): boolean => /[\ud800-\udfff]/.test(text);
