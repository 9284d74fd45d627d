import { deepEqual, field, isStepDone, type FieldError, type Work } from '@apichain/meta';
import {
  findingSchema,
  itemsSchema,
  properties,
  structuralTyping,
  valuesSchema,
  type JsonSchemaProps,
  type StructuralTypes,
} from '@apichain/schema';
import type { ValidationRule } from '@apichain/scheme';
import { declType, escapeName, selfTypeName } from '../decl-type.ts';
import { estimatedCost } from '../estimate/estimate.ts';
import type { DeclType } from '../types.ts';
import { compileRule } from './compile-rule.ts';
import { mostElements, mostPerRequest, multiplied, RuleCosts } from './rule-costs.ts';

/** Where a node stands. */
interface Place {
  readonly path: string;
  /** Where oldSelf has no meaning: the list or map whose parts have no identity. */
  readonly within?: string;
  /** How many values there can be in one object; undefined = as many as a request can hold. */
  readonly cardinality: number | undefined;
  readonly costs: RuleCosts;
  readonly types: StructuralTypes;
  /** Paths of schemas in which something is wrong. */
  readonly refused: ReadonlySet<string>;
  /** Whether there are rules above: what they see of a part is what the part's own rules see. */
  readonly belowRules: boolean;
  /** What is above declares no such part: items of an object. */
  readonly undeclared: boolean;
}

/**
 * What is wrong with the rules of a structural CRD schema. Rules of a part of it that is `refused` are not looked at; those of a schema
 * that stays as it was may cost what they do, but for their total. In steps. After ValidateCustomResourceDefinitionOpenAPISchema of
 * k8s.io/apiextensions-apiserver.
 */
export function* checkingSchemaRules(
  schema: JsonSchemaProps,
  path: string,
  old: JsonSchemaProps | undefined = undefined,
  refused: ReadonlySet<string> = new Set(),
): Work<FieldError[]> {
  if (!(yield* findingSchema(schema, hasRules))) return [];
  const costs = new RuleCosts(old !== undefined && deepEqual(schema, old));
  const types: StructuralTypes = new Map();
  const decl = declType(yield* structuralTyping(schema, types), true);
  const errors: FieldError[] = [];
  yield* visit(errors, schema, decl, {
    ...{ path, cardinality: 1, costs, types, refused },
    ...{ belowRules: false, undeclared: false },
  });
  for (const error of costs.totalErrors(path)) errors.push(error);
  return errors;
}

const hasRules = (schema: JsonSchemaProps): boolean => (schema['x-kubernetes-validations'] ?? []).length > 0;

const untyped =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
const undeclared = 'failed to convert to declType for CEL validation rules';
const correlatableMaps: ReadonlySet<string> = new Set(['granular', 'atomic']);

/** What expressions see of a part that expressions above it cannot see. */
function ownDecl(schema: JsonSchemaProps, { types }: Place): DeclType | undefined {
  const type = types.get(schema);
  return type === undefined ? undefined : declType(type, schema['x-kubernetes-embedded-resource'] === true);
}

/** The type of `self` at a node with rules: its name begins there, that of the resource at the resource. */
const selfDecl = (decl: DeclType | undefined): DeclType | undefined =>
  decl === undefined || decl.celType.name === selfTypeName
    ? decl
    : declType(decl.type, decl.type.embeddedResource === true);

function* visit(errors: FieldError[], schema: JsonSchemaProps, decl: DeclType | undefined, place: Place): Work<void> {
  if (isStepDone()) yield;
  const { path } = place;
  const values = valuesSchema(schema);
  const cardinality = multiplied(place.cardinality, mostElements(schema));
  const rules = schema['x-kubernetes-validations'] ?? [];
  const belowRules = place.belowRules || rules.length > 0;
  const inside = { ...place, cardinality, belowRules, undeclared: false };
  const seen = (found: DeclType | undefined, part: JsonSchemaProps): DeclType | undefined =>
    found ?? (belowRules && decl === undefined ? undefined : ownDecl(part, place));
  const elem = (kind: DeclType['kind']) => (belowRules || decl?.kind === kind ? decl?.elem : undefined);
  const ofElements = { undeclared: belowRules && decl !== undefined && decl.elem === undefined };
  const uncorrelatable = { within: path, ...inside };
  if (values !== undefined)
    // Beside properties the values are none of what is above: these two do not go together anyway.
    yield* visit(errors, values, seen(elem('map'), values), {
      ...inside,
      ...(decl?.kind === 'object' ? {} : ofElements),
      path: field.child(path, 'additionalProperties'),
    });
  for (const [name, property] of properties(schema)) {
    const escaped = escapeName(name);
    const child = seen(escaped === undefined ? undefined : decl?.fields?.get(escaped)?.decl, property);
    const inMap = correlatableMaps.has(schema['x-kubernetes-map-type'] ?? 'granular') ? inside : uncorrelatable;
    yield* visit(errors, property, child, { ...inMap, path: field.key(field.child(path, 'properties'), name) });
  }
  const items = itemsSchema(schema);
  if (items !== undefined) {
    const inList = schema['x-kubernetes-list-type'] === 'map' ? inside : uncorrelatable;
    const ofItems = { ...inList, ...ofElements, path: field.child(path, 'items') };
    yield* visit(errors, items, seen(elem('list'), items), ofItems);
  }
  if (rules.length === 0 || place.refused.has(path)) return;
  if (place.undeclared) {
    errors.push(field.internal(field.child(path, 'x-kubernetes-validations'), undeclared));
    return;
  }
  const self = selfDecl(decl);
  for (const [i, rule] of rules.entries()) {
    // To compile one may take a millisecond.
    yield;
    errors.push(...ruleErrors(rule, i, self, place));
  }
}

function ruleErrors(rule: ValidationRule, i: number, decl: DeclType | undefined, place: Place): FieldError[] {
  const { path, within, costs } = place;
  const list = field.child(path, 'x-kubernetes-validations');
  if (decl === undefined) return i > 0 ? [] : [field.internal(list, untyped)];
  const at = (name: string) => field.child(field.index(list, i), name);
  const compiled = compileRule(rule, decl);
  const errors: FieldError[] = [];
  if (compiled.checked !== undefined) {
    errors.push(
      ...costs.rule(at('rule'), estimatedCost(compiled.checked, decl), place.cardinality ?? mostPerRequest(decl)),
    );
  }
  if (compiled.error !== undefined) errors.push(field.invalid(at('rule'), printed(rule), compiled.error));
  if (compiled.messageExpressionError !== undefined)
    errors.push(field.invalid(at('messageExpression'), printed(rule), compiled.messageExpressionError));
  if (compiled.messageChecked !== undefined) {
    errors.push(...costs.message(at('messageExpression'), estimatedCost(compiled.messageChecked, decl)));
  }
  if (compiled.usesOldSelf && within !== undefined)
    errors.push(
      field.invalid(
        at('rule'),
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${within}`,
      ),
    );
  if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined && rule.optionalOldSelf !== null)
    errors.push(
      field.invalid(at('optionalOldSelf'), rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  return errors;
}

/** A rule as messages print it: as the server's own type. */
const printed = (rule: ValidationRule) => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});
