import type { JsonValue } from '@apichain/meta';

/**
 * The one model of types. A built-in kind's Type comes from the generated table, a custom kind's from its CRD schema;
 * decoding, pruning, defaulting, validation, OpenAPI, strategic merge, server-side apply and the protobuf codec walk it alike.
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

/** JSON Schema keywords beyond the type itself; only CRD schemas carry them. Names as in JSONSchemaProps. */
export interface ValueValidation {
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
  allOf?: NestedValidation[];
  anyOf?: NestedValidation[];
  oneOf?: NestedValidation[];
  not?: NestedValidation;
}

/** A schema inside allOf/anyOf/oneOf/not: it restricts values and never declares types. */
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

/** One node of the graph of types. Types are recursive, so nodes may be reached again from below. */
export interface Type {
  readonly kind: TypeKind;
  /** Facts name such as `core.v1.PodSpec` or `meta.v1.ObjectMeta`; absent for CRD nodes and unnamed lists and maps. */
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
  /** Array element pointers, as Go has them (`[]*T`): a null element stays null. */
  readonly itemPointer?: boolean;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'granular' | 'atomic';
  /** `integer`: int32 | int64 | uint8...; `number`: double. */
  readonly format?: string;
  /** Closed set of values. */
  readonly enum?: readonly JsonValue[];
  /** CRD nodes only from here on. */
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

/** The nested protobuf message that holds a field which JSON shows in the parent. */
export interface ProtoEmbedding {
  readonly number: number;
  readonly typeName: string;
  /** Set when the field sits in a message that is itself embedded in this one. */
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
  /** How Go's encoder treats the zero value: without either, it is written. */
  readonly omitempty?: boolean;
  readonly omitzero?: boolean;
  /** Go pointer: null and absent are the same, a present zero value stays. */
  readonly pointer?: boolean;
  /** Protobuf field number; absent for fields with no protobuf form. */
  readonly proto?: number;
  /** Inline struct that is a nested message in protobuf: the message's number, its own fields keep theirs. */
  readonly protoEmbedded?: ProtoEmbedding;
  /** The value travels in a message of its own around the list (`protoWrapped` of the facts). */
  readonly protoWrapped?: boolean;
  /** `bytes`, `varint` or `fixed64`. */
  readonly protoType?: string;
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** Published OpenAPI default (`+default`), already as JSON. */
  readonly default?: JsonValue;
  /** Discriminator name of a union the field belongs to. */
  readonly unionDiscriminator?: boolean;
  readonly featureGate?: string | readonly string[];
}
