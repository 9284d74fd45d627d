import { pause, type KubeObject } from '@apichain/meta';
import {
  applyDefaults,
  coerceObjectMeta,
  compileSchema,
  customResourceType,
  hasDefaults,
  isStructural,
  property,
  prune,
  pruneNulls,
  pruneDefaults,
  structuralType,
  type CompiledRules,
  type CrdVersion,
  type JsonSchemaProps,
  type ObjectMetaRules,
  type RuleEvaluator,
  type SchemaValidator,
} from '@apichain/schema';
import type { Type } from '@apichain/scheme';

/** What a VersionSchema needs beside the version. */
export interface VersionSchemaContext {
  readonly metadata: ObjectMetaRules;
  readonly objectMeta: Type;
  readonly rules?: RuleEvaluator;
  /**
   * Set for `spec.preserveUnknownFields: true`, which only CRDs of v1beta1 have: nothing is pruned. The schema is then no bound for apply and patches
   * either; one that is not structural does not count for them at all.
   */
  readonly preservesUnknownFields?: boolean;
}

/** Types and validations of one version's schema, each created on first use. */
export class VersionSchema {
  readonly version: CrdVersion;
  readonly #metadata: ObjectMetaRules;
  readonly #objectMeta: Type;
  readonly #rules: RuleEvaluator | undefined;
  readonly #preserves: boolean;
  #declared: Type | undefined;
  #structural: Type | undefined;
  #applied: Type | undefined;
  #type: Type | undefined;
  #validator: SchemaValidator | undefined;
  #statusValidator: SchemaValidator | undefined;
  #hasRules: boolean | undefined;
  #compiledRules: { readonly rules: CompiledRules | undefined } | undefined;

  constructor(version: CrdVersion, context: VersionSchemaContext) {
    this.version = version;
    this.#metadata = context.metadata;
    this.#objectMeta = context.objectMeta;
    this.#rules = context.rules;
    this.#preserves = context.preservesUnknownFields === true;
  }

  get #schema(): JsonSchemaProps {
    return this.version.schema?.openAPIV3Schema ?? anyObject;
  }

  /** Creates the types of a possibly large schema ahead of their first use. Other requests run between two of them. */
  async prepare(): Promise<void> {
    this.#declared ??= structuralType(this.#schema);
    await pause();
    this.#structural ??= pruneDefaults(this.#declared, this.#metadata);
    await pause();
    this.#applied ??= this.#typeForApply();
    await pause();
    this.#type ??= customResourceType(this.#applied, this.#objectMeta);
    await pause();
  }

  /** The type of the schema alone, for pruning and defaulting. Its defaults are pruned themselves. */
  get structural(): Type {
    return (this.#structural ??= pruneDefaults(this.#declaredType, this.#metadata));
  }

  get #declaredType(): Type {
    return (this.#declared ??= structuralType(this.#schema));
  }

  #typeForApply(): Type {
    if (!this.#preserves) return this.#declaredType;
    return structuralType(isStructural(this.#schema) ? preservingUnknownFields(this.#schema) : anyObject);
  }

  /** The type with apiVersion, kind and metadata, for apply, patches and publishing. Its defaults are those that the schema declares. */
  get type(): Type {
    this.#applied ??= this.#typeForApply();
    return (this.#type ??= customResourceType(this.#applied, this.#objectMeta));
  }

  get validator(): SchemaValidator {
    this.#validator ??= compileSchema(this.#schema, { intOrStringTyped: true, isResourceRoot: true });
    return this.#validator;
  }

  get statusValidator(): SchemaValidator {
    this.#statusValidator ??= compileSchema(property(this.#schema, 'status') ?? {}, {
      intOrStringTyped: true,
      isResourceRoot: false,
    });
    return this.#statusValidator;
  }

  /** Whether the schema has validation rules, also where no evaluator compiles them. */
  get hasRules(): boolean {
    return (this.#hasRules ??= JSON.stringify(this.version.schema ?? {}).includes('"x-kubernetes-validations"'));
  }

  get rules(): CompiledRules | undefined {
    this.#compiledRules ??= { rules: this.#rules?.compile(this.type) };
    return this.#compiledRules.rules;
  }

  /**
   * Prunes, coerces embedded metadata and sets defaults, in place. Returns the unknown fields. Throws Error with the client's text when embedded
   * metadata is malformed.
   */
  admit(object: Record<string, unknown>): string[] {
    const unknown = this.#prune(object);
    const { error, unknownFields } = coerceObjectMeta(object, this.structural, {
      rules: this.#metadata,
      path: '',
      isResourceRoot: false,
      dropInvalidFields: false,
    });
    if (error !== undefined) throw new Error(`${error.field}: ${error.message}`);
    this.setDefaults(object);
    return [...unknown, ...unknownFields];
  }

  /** Sets the defaults in place. */
  setDefaults(object: Record<string, unknown>): void {
    if (hasDefaults(this.structural)) applyDefaults(object, this.structural);
  }

  /**
   * The same for a stored object, possibly written with another schema or by another program: values that do not fit are dropped, also from its
   * metadata, and an object without a generation gets the first.
   */
  refresh(object: KubeObject): KubeObject {
    this.#fit(object, true);
    if (!object.metadata.generation) object.metadata.generation = 1;
    this.setDefaults(object);
    return object;
  }

  /**
   * The same for an object that was converted to this version. Its defaults were set in its original version.
   * Source: schemaCoercingConverter of apiextensions-apiserver/pkg/apiserver.
   */
  fit(object: KubeObject): KubeObject {
    return this.#fit(object, false);
  }

  #fit(object: KubeObject, isResourceRoot: boolean): KubeObject {
    const fields: Record<string, unknown> = object;
    this.#prune(fields);
    coerceObjectMeta(fields, this.structural, {
      rules: this.#metadata,
      path: '',
      isResourceRoot,
      dropInvalidFields: true,
    });
    return object;
  }

  #prune(object: Record<string, unknown>): string[] {
    if (this.#preserves) return [];
    const unknown = prune(object, this.structural, true);
    pruneNulls(object, this.structural);
    return unknown;
  }
}

/** The schema of an object of which nothing is known. */
const anyObject: JsonSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The same structural schema, in which every object may have more fields than it names. */
function preservingUnknownFields(schema: JsonSchemaProps): JsonSchemaProps {
  const { properties, items, additionalProperties } = schema;
  const isMap = typeof additionalProperties === 'object';
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, preservingUnknownFields(property)]),
          ),
        }),
    ...(items === undefined || Array.isArray(items) ? {} : { items: preservingUnknownFields(items) }),
    ...(isMap ? { additionalProperties: preservingUnknownFields(additionalProperties) } : {}),
    ...(schema.type === 'object' && !isMap ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
  };
}
