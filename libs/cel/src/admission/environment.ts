import { check, type StructTypes } from '../checker.ts';
import { estimatedCost } from '../estimate/estimate.ts';
import type { Sized } from '../estimate/node.ts';
import { InstantiationError, program, type Program } from '../interpreter.ts';
import { CompileError } from '../issues.ts';
import { authorizerType, resourceCheckType } from '../library/authorization.ts';
import { parse } from '../parser.ts';
import * as types from '../types.ts';
import { declaredName, sameType, type CelType, type DeclField, type DeclType } from '../types.ts';

const declared = (celType: CelType): DeclType => ({ kind: 'dyn', type: { kind: 'json' }, celType, minSize: 0 });

/** A type with fields of the given types. */
export function objectType(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return new ObjectType(name, fields).type;
}

/** A type to which fields can be added after expressions have been compiled with it. */
export class ObjectType {
  readonly type: CelType;
  readonly #fields = new Map<string, DeclField>();

  constructor(name: string, fields: Readonly<Record<string, CelType>> = {}) {
    for (const [field, type] of Object.entries(fields)) this.add(field, type);
    const decl: DeclType = {
      kind: 'object',
      type: { kind: 'object' },
      celType: types.dyn,
      fields: this.#fields,
      minSize: 0,
    };
    this.type = { kind: 'object', name, params: [], decl };
  }

  add(field: string, type: CelType): void {
    this.#fields.set(field, { name: field, decl: declared(type) });
  }
}

const { string, bool, int, timestamp, dyn } = types;
const stringMap = types.map(string, string);
const groupVersionKind = objectType('kubernetes.GroupVersionKind', { group: string, version: string, kind: string });
const groupVersionResource = objectType('kubernetes.GroupVersionResource', {
  group: string,
  version: string,
  resource: string,
});

/** The type of `request`: AdmissionRequest without its objects. */
const requestType = objectType('kubernetes.AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: string,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: objectType('kubernetes.UserInfo', {
    username: string,
    uid: string,
    groups: types.list(string),
    extra: types.map(string, types.list(string)),
  }),
  dryRun: bool,
  options: dyn,
});

const namespaceType = objectType('kubernetes.Namespace', {
  metadata: objectType('kubernetes.NamespaceMetadata', {
    name: string,
    generateName: string,
    namespace: string,
    labels: stringMap,
    annotations: stringMap,
    UID: string,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: string,
    finalizers: types.list(string),
  }),
  spec: objectType('kubernetes.NamespaceSpec', { finalizers: types.list(string) }),
  status: objectType('kubernetes.NamespaceStatus', { phase: string }),
});

/** What an expression may use: variables, message types and `cel.bind`. */
export interface ExpressionEnvironment {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly structs?: StructTypes;
  /** Whether `cel.bind` is available. */
  readonly bindings?: boolean;
  /** Whether the members of a list or map in an expression may have different types. */
  readonly mixedLiterals?: boolean;
  /** The maximum sizes of the variables' values. Without them the maximum cost of expressions is not estimated. */
  readonly sizes?: Sized;
}

/** The type of a policy's `variables`. Each variable is added after it has been compiled. */
export const composedVariables = (fields: Readonly<Record<string, CelType>> = {}): ObjectType =>
  new ObjectType('kubernetes.variables', fields);

/** The variables of an admission expression. After k8s.io/apiserver/pkg/admission/plugin/cel/compile.go. */
export function admissionEnvironment(options: {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** The type of `variables`, see `composedVariables`. */
  readonly composed?: CelType;
}): ExpressionEnvironment {
  const variables = new Map<string, CelType>([
    ['object', dyn],
    ['oldObject', dyn],
    ['request', requestType],
    ['namespaceObject', namespaceType],
  ]);
  if (options.params) variables.set('params', dyn);
  if (options.authorizer) {
    variables.set('authorizer', authorizerType);
    variables.set('authorizer.requestResource', resourceCheckType);
  }
  if (options.composed !== undefined) variables.set('variables', options.composed);
  return { variables };
}

/** A compiled expression, or the error of its compilation. */
export type CompiledExpression =
  | { readonly program: Program; readonly type: CelType; /** The maximum cost. */ readonly cost?: number }
  | {
      readonly error: string;
      /** The expression is valid, but no program can be made of it. */ readonly isInternal?: boolean;
    };

/** `accepts` returns why an expression of a type is not allowed, see `admissionResults`. */
export function compileExpression(
  source: string,
  environment: ExpressionEnvironment,
  accepts: (type: CelType) => string | undefined,
): CompiledExpression {
  try {
    const { variables, structs, mixedLiterals } = environment;
    const checked = check(source, parse(source, environment), variables, structs, mixedLiterals);
    const problem = accepts(checked.type);
    if (problem !== undefined) return { error: problem };
    const compiled = { program: program(checked), type: checked.type };
    return environment.sizes === undefined
      ? compiled
      : { ...compiled, cost: estimatedCost(checked, environment.sizes) };
  } catch (error) {
    if (error instanceof CompileError) return { error: `compilation failed: ${error.message}` };
    if (error instanceof InstantiationError)
      return { error: `program instantiation failed: ${error.message}`, isInternal: true };
    if (error instanceof RangeError) return { error: 'compilation failed: expression recursion limit exceeded' };
    throw error;
  }
}

const anyObject = (name: string): CelType => ({ kind: 'object', name, params: [] });
export const objectPatchType = anyObject('Object');
export const jsonPatchType = anyObject('JSONPatch');
const jsonPatchFields: ReadonlyMap<string, CelType> = new Map([
  ['op', string],
  ['path', string],
  ['from', string],
  ['value', dyn],
]);

/** For `compileExpression`: exactly one of the types. A dynamic type is not allowed, whatever its value. */
function resultOf(...wanted: readonly CelType[]): (type: CelType) => string | undefined {
  const names = wanted.map(declaredName);
  const expected = names.length === 1 ? (names[0] ?? '') : `one of [${names.join(' ')}]`;
  return (type) =>
    wanted.some((candidate) => sameType(candidate, type))
      ? undefined
      : `must evaluate to ${expected} but got ${declaredName(type)}`;
}

/** The result types that expressions of webhooks and policies may have. After k8s.io/apiserver/pkg/admission/plugin/cel/compile.go. */
export const admissionResults = {
  condition: resultOf(bool),
  message: resultOf(string),
  auditAnnotation: resultOf(string, types.nullType),
  variable: (): undefined => undefined,
  jsonPatch: resultOf(types.list(jsonPatchType)),
  applyConfiguration: resultOf(objectPatchType),
} as const;

/** The messages of mutating policies: `Object{...}`, `Object.spec{...}` and so on with arbitrary fields, and `JSONPatch{...}`. */
export const mutationStructs: StructTypes = {
  typeOf: (name) =>
    name === 'JSONPatch' || name === 'Object' || name.startsWith('Object.') ? anyObject(name) : undefined,
  fieldType: (name, field) => (name === 'JSONPatch' ? jsonPatchFields.get(field) : dyn),
};
