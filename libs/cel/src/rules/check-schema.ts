import { field, type FieldError } from '@apichain/meta';
import { itemsSchema, properties, structuralType, valuesSchema, type JsonSchemaProps } from '@apichain/schema';
import type { ValidationRule } from '@apichain/scheme';
import { declType, escapeName } from '../decl-type.ts';
import type { DeclType } from '../types.ts';
import { compileRule } from './compile-rule.ts';

/** Where oldSelf has no meaning: `within` is the list or map whose parts have no identity. */
interface Place {
  readonly path: string;
  readonly within?: string;
}

/**
 * What is wrong with the rules of a CRD schema that is valid otherwise. After ValidateCustomResourceDefinitionOpenAPISchema of
 * k8s.io/apiextensions-apiserver.
 */
export function checkSchemaRules(schema: JsonSchemaProps, path: string): FieldError[] {
  return visit(schema, declType(structuralType(schema), true), { path });
}

function visit(schema: JsonSchemaProps, decl: DeclType | undefined, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { path } = place;
  const values = valuesSchema(schema);
  const uncorrelatable = { within: path, ...place };
  const inMap = schema['x-kubernetes-map-type'] === 'atomic' ? uncorrelatable : place;
  if (values !== undefined)
    errors.push(
      ...visit(values, decl?.kind === 'map' ? decl.elem : undefined, {
        ...inMap,
        path: field.child(path, 'additionalProperties'),
      }),
    );
  for (const [name, property] of properties(schema)) {
    const escaped = escapeName(name);
    const child =
      escaped === undefined
        ? declType(structuralType(property), property['x-kubernetes-embedded-resource'] === true)
        : decl?.fields?.get(escaped)?.decl;
    errors.push(...visit(property, child, { ...inMap, path: field.key(field.child(path, 'properties'), name) }));
  }
  const items = itemsSchema(schema);
  if (items !== undefined) {
    const inList = schema['x-kubernetes-list-type'] === 'map' ? place : uncorrelatable;
    errors.push(...visit(items, decl?.elem, { ...inList, path: field.child(path, 'items') }));
  }
  return [
    ...errors,
    ...(schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) => ruleErrors(rule, i, decl, place)),
  ];
}

function ruleErrors(
  rule: ValidationRule,
  i: number,
  decl: DeclType | undefined,
  { path, within }: Place,
): FieldError[] {
  const list = field.child(path, 'x-kubernetes-validations');
  if (decl === undefined)
    return i > 0
      ? []
      : [field.internal(list, 'internal error: failed to retrieve type information for x-kubernetes-validations')];
  const at = (name: string) => field.child(field.index(list, i), name);
  const compiled = compileRule(rule, decl);
  const errors: FieldError[] = [];
  if (compiled.error !== undefined) errors.push(field.invalid(at('rule'), printed(rule), compiled.error));
  if (compiled.messageExpressionError !== undefined)
    errors.push(field.invalid(at('messageExpression'), printed(rule), compiled.messageExpressionError));
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
