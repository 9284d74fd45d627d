import type { JsonValue } from '@apichain/meta';

/**
 * The only model of types. The Type of a built-in kind comes from the generated table, that of a custom kind from its CRD schema. Decoding,
 * pruning, defaulting, validation, OpenAPI, strategic merge, server-side apply and the protobuf codec all use it.
 */
export type TypeKind =
  | 'object' // declared fields; with `values`, undeclared keys are values of that type (CRDs: properties + additionalProperties)
  | 'map' // string keys, `values`
  | 'array' // `items`
  | 'string'
  | 'integer' // format int32 or int64
  | 'number' // float64
  | 'boolean'
  | 'bytes' // base64 text in JSON
  | 'time' // RFC 3339, whole seconds, UTC
  | 'microTime' // RFC 3339, microseconds, UTC
  | 'duration' // Go duration text
  | 'quantity' // text; a bare JSON number is accepted and turned into text
  | 'intOrString'
  | 'fieldsV1' // managedFields sets: any JSON object
  | 'rawExtension' // an embedded object of any kind
  | 'json'; // any JSON value (apiextensions JSON; CRD nodes without a type); JSONSchemaPropsOr{Bool,Array,StringArray} are
// `json` with that `name`, and `items` is the JSONSchemaProps type

/** The JSON Schema keywords that say which values of a type are allowed, by their names in JSONSchemaProps. */
export interface ValueKeywords {
  format?: string;
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  maxProperties?: number;
  minProperties?: number;
}

/** JSON Schema keywords other than the type. Only CRD schemas have them. */
export interface ValueValidation extends ValueKeywords {
  allOf?: NestedValidation[];
  anyOf?: NestedValidation[];
  oneOf?: NestedValidation[];
  not?: NestedValidation;
}

/** A schema inside allOf/anyOf/oneOf/not. It restricts values and does not declare types. */
export interface NestedValidation extends ValueValidation {
  enum?: JsonValue[];
  required?: string[];
  properties?: Record<string, NestedValidation>;
  additionalProperties?: NestedValidation;
  items?: NestedValidation;
  type?: string;
}

/** One entry of x-kubernetes-validations. */
export interface ValidationRule {
  rule: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
  fieldPath?: string;
  optionalOldSelf?: boolean;
}

/** One node of the graph of types. The graph may contain cycles. */
export interface Type {
  readonly kind: TypeKind;
  /** The full name, such as `core.v1.PodSpec` or `meta.v1.ObjectMeta`; absent for CRD nodes and unnamed lists and maps. */
  readonly name?: string;
  /** Go name of a named non-struct type, e.g. `core.v1.RestartPolicy` or `core.v1.ResourceList`. */
  readonly alias?: string;
  readonly description?: string;
  /** `object`: declared fields in declaration order (inline structs already flattened). */
  fields?: readonly Field[];
  /** `object`: the same fields by JSON name. */
  byName?: ReadonlyMap<string, Field>;
  /** `map` values, or `object` with additionalProperties. */
  values?: Type;
  items?: Type;
  /** Elements are pointers in Go (`[]*T`): a null element stays null. */
  readonly itemPointer?: boolean;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'granular' | 'atomic';
  /** `integer`: int32 | int64 | uint8...; `number`: double. */
  readonly format?: string;
  /** Closed set of values. */
  readonly enum?: readonly JsonValue[];
  /** This and the following properties are set for CRD nodes only. */
  readonly default?: JsonValue;
  readonly nullable?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
  readonly required?: readonly string[];
  readonly title?: string;
  readonly example?: JsonValue;
  readonly externalDocs?: JsonValue;
  readonly validation?: ValueValidation;
  readonly rules?: readonly ValidationRule[];
}

/** The nested protobuf message of a field that belongs to the parent object in JSON. */
export interface ProtoEmbedding {
  readonly number: number;
  readonly typeName: string;
  /** Set if the field is in a message that is embedded in this one. */
  readonly inner?: ProtoEmbedding;
}

/** A declared field of an object type. */
export interface Field {
  /** JSON name. */
  readonly name: string;
  readonly type: Type;
  readonly description?: string;
  /** `required` in the published OpenAPI. */
  readonly required?: boolean;
  /** How Go's encoder treats the zero value. If neither is set, the zero value is written. */
  readonly omitempty?: boolean;
  readonly omitzero?: boolean;
  /** A Go pointer: null and absent are equal, and a zero value that is present is preserved. */
  readonly pointer?: boolean;
  /** Protobuf field number; absent for fields with no protobuf form. */
  readonly proto?: number;
  /**
   * For a field of an inline struct that is a nested message in protobuf: the number of that message. The struct's fields keep their own
   * numbers.
   */
  readonly protoEmbedded?: ProtoEmbedding;
  /** The list is wrapped in a separate message (`protoWrapped` of the facts). */
  readonly protoWrapped?: boolean;
  /** `bytes`, `varint` or `fixed64`. */
  readonly protoType?: string;
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** The default in the published OpenAPI (`+default`), as JSON. */
  readonly default?: JsonValue;
  /** The name of the discriminator of the field's union. */
  readonly unionDiscriminator?: boolean;
}

/**
 * A check whether `test` holds for a type or for any type in it. It is made once for each type, because types are large, never change, and are checked
 * with every object.
 */
export function someTypeWithin(test: (type: Type) => boolean): (type: Type) => boolean {
  const known = new WeakMap<Type, boolean>();
  const holdsFor = (type: Type): boolean => {
    const found = known.get(type);
    if (found !== undefined) return found;
    // A type may contain itself.
    known.set(type, false);
    const { fields = [], values, items } = type;
    const holds =
      test(type) ||
      (values !== undefined && holdsFor(values)) ||
      (items !== undefined && holdsFor(items)) ||
      fields.some((inner) => holdsFor(inner.type));
    known.set(type, holds);
    return holds;
  };
  return holdsFor;
}
