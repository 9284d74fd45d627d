import { deepEqual, field, type FieldError } from '@apichain/meta';
import {
  someSchema,
  itemsSchema,
  properties,
  structuralType,
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

/** The position of a node in the schema. */
interface Place {
  readonly path: string;
  /** The path of the list or map whose members have no identity, so that oldSelf is not allowed here. */
  readonly within?: string;
  /** The most values of the node in one object; undefined if only the request size limits it. */
  readonly cardinality: number | undefined;
  readonly costs: RuleCosts;
  readonly types: StructuralTypes;
  /** The paths of schemas with errors. */
  readonly refused: ReadonlySet<string>;
  /** Whether an ancestor has rules. If so, the rules of this node use the declaration of the node that is part of the ancestor's declaration. */
  readonly belowRules: boolean;
  /** Whether the declaration of the parent does not declare this node, such as the items of an object. */
  readonly undeclared: boolean;
}

/**
 * The errors in the rules of a structural CRD schema. Rules in `refused` parts are not checked. In an unchanged schema, the cost of single
 * rules is not limited, only their total. After ValidateCustomResourceDefinitionOpenAPISchema of
 * k8s.io/apiextensions-apiserver.
 */
export function checkSchemaRules(
  schema: JsonSchemaProps,
  path: string,
  old: JsonSchemaProps | undefined = undefined,
  refused: ReadonlySet<string> = new Set(),
): FieldError[] {
  if (!someSchema(schema, hasRules)) return [];
  const costs = new RuleCosts(old !== undefined && deepEqual(schema, old));
  const types: StructuralTypes = new Map();
  const decl = declType(structuralType(schema, types), true);
  const errors: FieldError[] = [];
  visit(errors, schema, decl, {
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

/** The declaration of a part that the declaration of its ancestors does not contain. */
function ownDecl(schema: JsonSchemaProps, { types }: Place): DeclType | undefined {
  const type = types.get(schema);
  return type === undefined ? undefined : declType(type, schema['x-kubernetes-embedded-resource'] === true);
}

/** The declaration of `self` at a node with rules. Its type name begins at this node; that of a resource begins at the resource. */
const selfDecl = (decl: DeclType | undefined): DeclType | undefined =>
  decl === undefined || decl.celType.name === selfTypeName
    ? decl
    : declType(decl.type, decl.type.embeddedResource === true);

function visit(errors: FieldError[], schema: JsonSchemaProps, decl: DeclType | undefined, place: Place): void {
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
    // With properties, the declaration of this node is an object, which does not declare the values. The two keywords exclude each other
    // anyway.
    visit(errors, values, seen(elem('map'), values), {
      ...inside,
      ...(decl?.kind === 'object' ? {} : ofElements),
      path: field.child(path, 'additionalProperties'),
    });
  for (const [name, property] of properties(schema)) {
    const escaped = escapeName(name);
    const child = seen(escaped === undefined ? undefined : decl?.fields?.get(escaped)?.decl, property);
    const inMap = correlatableMaps.has(schema['x-kubernetes-map-type'] ?? 'granular') ? inside : uncorrelatable;
    visit(errors, property, child, { ...inMap, path: field.key(field.child(path, 'properties'), name) });
  }
  const items = itemsSchema(schema);
  if (items !== undefined) {
    const inList = schema['x-kubernetes-list-type'] === 'map' ? inside : uncorrelatable;
    const ofItems = { ...inList, ...ofElements, path: field.child(path, 'items') };
    visit(errors, items, seen(elem('list'), items), ofItems);
  }
  if (rules.length === 0 || place.refused.has(path)) return;
  if (place.undeclared) {
    errors.push(field.internal(field.child(path, 'x-kubernetes-validations'), undeclared));
    return;
  }
  const self = selfDecl(decl);
  for (const [i, rule] of rules.entries()) {
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

/** A rule as in messages: as kube-apiserver's internal type. */
const printed = (rule: ValidationRule) => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});
