import type { Type, ValidationRule } from '@apichain/scheme';
import type { Checked } from '../checked.ts';
import { check } from '../checker.ts';
import { InstantiationError, program, type Program } from '../interpreter.ts';
import { CompileError } from '../issues.ts';
import { parse } from '../parser.ts';
import * as types from '../types.ts';
import type { DeclType } from '../types.ts';

/** A compiled rule, or the error of its compilation. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  readonly error?: string;
  readonly usesOldSelf: boolean;
  readonly messageExpression?: Program;
  readonly messageExpressionError?: string;
  /** The checked expression, for cost estimates. */
  readonly checked?: Checked;
  readonly messageChecked?: Checked;
  /** `fieldPath` in the form of field errors. */
  readonly fieldPath: string;
}

/** Compiles a rule for values of the type `decl`. After k8s.io/apiextensions-apiserver schema/cel/compilation.go. */
export function compileRule(rule: ValidationRule, decl: DeclType): CompiledRule {
  const variables = new Map([
    ['self', decl.celType],
    ['oldSelf', rule.optionalOldSelf === true ? types.optional(decl.celType) : decl.celType],
  ]);
  const base = { rule, usesOldSelf: false, fieldPath: normalizedPath(rule.fieldPath ?? '', decl.type) };
  if (rule.rule.trim() === '') return base;
  const main = compile(rule.rule, variables, 'bool');
  if ('error' in main)
    return { ...base, error: main.error === 'type' ? 'cel expression must evaluate to a bool' : main.error };
  const { usesOldSelf } = main;
  const ready = { ...base, program: main.program, checked: main.checked, usesOldSelf };
  if (!rule.messageExpression) return ready;
  const message = compile(rule.messageExpression, variables, 'string');
  if (!('error' in message)) {
    return { ...ready, messageExpression: message.program, messageChecked: message.checked };
  }
  return {
    ...ready,
    messageExpressionError:
      message.error === 'type' ? 'messageExpression must evaluate to a string' : `messageExpression ${message.error}`,
  };
}

function compile(
  source: string,
  variables: ReadonlyMap<string, types.CelType>,
  kind: types.CelKind,
): { error: string } | { program: Program; checked: Checked; usesOldSelf: boolean } {
  try {
    const checked = check(source, parse(source), variables);
    if (checked.type.kind !== kind) return { error: 'type' };
    return { program: program(checked), checked, usesOldSelf: checked.variables.has('oldSelf') };
  } catch (error) {
    if (error instanceof CompileError) return { error: `compilation failed: ${error.message}` };
    if (error instanceof InstantiationError)
      return { error: `${kind === 'bool' ? 'program ' : ''}instantiation failed: ${error.message}` };
    // The depth of nesting is limited by the call stack.
    if (error instanceof RangeError) return { error: 'compilation failed: expression recursion limit exceeded' };
    throw error;
  }
}

/** `.a['b.c']` as `a.b.c`; keys of maps are in brackets. Empty for a path that is not in the schema, which CRD validation reports. */
function normalizedPath(fieldPath: string, root: Type): string {
  let path = '';
  let type: Type | undefined = root;
  for (const [, name, quoted] of fieldPath.matchAll(/\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g)) {
    const key = name ?? (quoted ?? '').replaceAll(/\\(.)/g, '$1');
    const declared: Type | undefined = type?.byName?.get(key)?.type;
    if (declared !== undefined) path = path === '' ? key : `${path}.${key}`;
    else path = `${path}[${key}]`;
    type = declared ?? type?.values;
    if (type === undefined) return '';
  }
  return path;
}
