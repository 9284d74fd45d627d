import type { KubeObject, Work } from '@apichain/meta';
import {
  applyDefaults,
  coerceObjectMeta,
  compileSchema,
  customResourceType,
  customResourceTyping,
  hasDefaults,
  property,
  prune,
  pruneNulls,
  structuralType,
  structuralTyping,
  type CompiledRules,
  type CrdVersion,
  type JsonSchemaProps,
  type ObjectMetaRules,
  type RuleEvaluator,
  type SchemaValidator,
} from '@apichain/schema';
import type { Type } from '@apichain/scheme';

/** Types and validations of one version's schema, each created on first use. */
export class VersionSchema {
  readonly version: CrdVersion;
  readonly #metadata: ObjectMetaRules;
  readonly #objectMeta: Type;
  readonly #rules: RuleEvaluator | undefined;
  #structural: Type | undefined;
  #type: Type | undefined;
  #validator: SchemaValidator | undefined;
  #statusValidator: SchemaValidator | undefined;
  #compiledRules: { readonly rules: CompiledRules | undefined } | undefined;

  constructor(version: CrdVersion, context: { metadata: ObjectMetaRules; objectMeta: Type; rules?: RuleEvaluator }) {
    this.version = version;
    this.#metadata = context.metadata;
    this.#objectMeta = context.objectMeta;
    this.#rules = context.rules;
  }

  get #schema(): JsonSchemaProps {
    return this.version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  }

  /** Creates the types of a possibly large schema ahead of their first use. Runs in steps. */
  *preparing(): Work<void> {
    this.#structural ??= yield* structuralTyping(this.#schema);
    this.#type ??= yield* customResourceTyping(this.#structural, this.#objectMeta);
  }

  /** The type of the schema alone, for pruning and defaulting. */
  get structural(): Type {
    this.#structural ??= structuralType(this.#schema);
    return this.#structural;
  }

  /** The type with apiVersion, kind and metadata, for apply, patches and publishing. */
  get type(): Type {
    this.#type ??= customResourceType(this.#schema, this.#objectMeta);
    return this.#type;
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

  /** The same for a stored object, possibly written with another schema: values that do not fit are dropped. */
  refresh(object: KubeObject): KubeObject {
    this.fit(object);
    this.setDefaults(object);
    return object;
  }

  /**
   * The same for an object that was converted to this version. Its defaults were set in its original version.
   * Source: schemaCoercingConverter of apiextensions-apiserver/pkg/apiserver.
   */
  fit(object: KubeObject): KubeObject {
    const fields: Record<string, unknown> = object;
    this.#prune(fields);
    coerceObjectMeta(fields, this.structural, {
      rules: this.#metadata,
      path: '',
      isResourceRoot: false,
      dropInvalidFields: true,
    });
    return object;
  }

  #prune(object: Record<string, unknown>): string[] {
    const unknown = prune(object, this.structural, true);
    pruneNulls(object, this.structural);
    return unknown;
  }
}
